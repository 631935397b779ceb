package terms

import (
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/op"
)

// Cost counts what Eval does.
func (h *Hessian) Cost() cost.Counts { return h.matrix.cost(variant{ord: second}) }

// Cost counts what Eval does.
func (j *Jacobian) Cost() cost.Counts { return j.matrix.cost(variant{ord: jacobian}) }

func (m *matrix) cost(v variant) cost.Counts {
	n := m.Plan.cost(v)
	n[cost.Entry] += float64(m.pattern.NNZ())
	return n
}

// cost counts what an evaluation does, but for the values of a matrix.
func (pl *Plan) cost(v variant) (n cost.Counts) {
	for k, c := range pl.code(v) {
		s := pl.shapes[k]
		if c.sweep != nil {
			n = n.Plus(c.sweep.cost(s.terms))
			continue
		}
		block, other := c.block, cost.Term
		if st := c.straight; st != nil {
			block, other = st.others, cost.Other
			n[cost.Line] += float64(len(st.lines))
		} else {
			n[cost.Instruction] += float64(len(block) * s.blocks())
		}
		for _, in := range block {
			if callsFunction(in.op) {
				n[cost.Call] += float64(s.terms)
			} else {
				n[other] += float64(s.terms)
			}
		}
	}
	return n
}

var _ cost.Sums = (*Repeat)(nil)

// Values counts what Eval does.
func (r *Repeat) Values() cost.Counts { return r.plan.cost(variant{}) }

// Adjoints counts what VJP does.
func (r *Repeat) Adjoints() cost.Counts { return r.plan.cost(variant{ord: first, weighted: true}) }

// Tangents counts what JVPs does for k directions.
func (r *Repeat) Tangents(k int) cost.Counts { return r.plan.costAlong(variant{ord: tangent}, k) }

// Products counts what HVPs does for k directions, with moving weights or
// without.
func (r *Repeat) Products(k int, moving bool) cost.Counts {
	return r.plan.costAlong(variant{ord: product, weighted: true, moving: moving}, k)
}

// costAlong counts what evalAlong does for k directions.
func (pl *Plan) costAlong(v variant, k int) (n cost.Counts) {
	for k > 0 {
		v.many = k >= maxDirections
		n = n.Plus(pl.cost(v))
		k -= v.directions()
	}
	return n
}

// callsFunction reports whether an instruction takes the time of many others.
func callsFunction(code op.Code) bool {
	return code == opSincos || code == opSoftplusLogistic || code < leafVar && code.Cost() > 0
}
