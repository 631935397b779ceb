package terms

import (
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/program"
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

// callsFunction reports whether an instruction takes the time of many others.
func callsFunction(op program.Op) bool { return op == opSincos || op < leafVar && op.Cost() > 0 }
