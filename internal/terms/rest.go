package terms

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// rest is the program of what is left over: the candidates that are no terms, and the
// guards. It is nil if nothing is; ok is false if that is so many of the operations that
// the terms do not pay.
func (d *detector) rest() (rest *sweep.Engine, ok bool) {
	if !d.leavesRest() {
		return nil, true
	}
	need := make([]bool, d.p.Len())
	left := make([][]candidate, d.outputs)
	for _, c := range d.cands {
		if d.leftOver(&c) {
			left[c.row] = append(left[c.row], c)
			need[c.root] = true
			if f := d.role(&c).factor; f != noFactor {
				need[f] = true
			}
		}
	}
	count := d.mark(need)
	if all := d.p.Ops() + d.declaredOps(); float64(count) > (1-leastShare)*float64(all) {
		return nil, false
	}
	for _, g := range d.p.Guards() {
		need[g.A], need[g.B] = true, true
	}
	d.mark(need)

	r := tape.NewRecording(d.inputs, d.params)
	defer r.Close()
	id := d.copy(r, need)
	outputs := make([]int32, len(left))
	for j, cands := range left {
		var w []float64
		var x []int32
		for _, c := range cands {
			i := id[c.root]
			of := d.role(&c)
			if of.factor != noFactor {
				i = r.Push(op.Mul, i, id[of.factor], 0)
			}
			w, x = append(w, of.scale), append(x, i)
		}
		switch {
		case len(x) == 0:
			outputs[j] = r.Constant(0)
		case len(x) == 1:
			outputs[j] = r.Push(op.Scale, x[0], 0, w[0])
		default:
			outputs[j] = r.Affine(0, w, x)
		}
	}
	for _, g := range d.p.Guards() {
		g.A, g.B = id[g.A], id[g.B]
		r.Guard(g)
	}
	return sweep.New(compile.Compile(r, outputs)), true
}

// leavesRest reports whether there is a rest.
func (d *detector) leavesRest() bool {
	if len(d.p.Guards()) > 0 {
		return true
	}
	for k := range d.cands {
		if d.leftOver(&d.cands[k]) {
			return true
		}
	}
	return false
}

// restricted is the program of some outputs of p, which must have no guards.
func restricted(p *sweep.Engine, outputs []int) *sweep.Engine {
	d := newDetector(&p.Tape, false)
	need := make([]bool, d.p.Len())
	for _, j := range outputs {
		need[p.Output(j)] = true
	}
	d.mark(need)
	r := tape.NewRecording(d.inputs, d.params)
	defer r.Close()
	id := d.copy(r, need)
	ends := make([]int32, len(outputs))
	for k, j := range outputs {
		ends[k] = id[p.Output(j)]
	}
	return sweep.New(compile.Compile(r, ends))
}

// mark marks what the marked nodes need, and counts the operations.
func (d *detector) mark(need []bool) (count int) {
	for i := int32(len(need)) - 1; i >= d.base; i-- {
		if !need[i] {
			continue
		}
		count++
		if d.p.Op(i) == op.Call {
			need[d.p.FirstOutput(i)] = true
		}
		d.p.EachOperand(i, func(j int32) { need[j] = true })
	}
	return count
}

// copy records the marked nodes; id is, by node, its new number.
func (d *detector) copy(r *tape.Recording, need []bool) (id []int32) {
	id = make([]int32, d.p.Len())
	base := int(d.base) - len(d.p.Consts())
	renumber := func(x []int32) []int32 {
		z := make([]int32, len(x))
		for k, i := range x {
			z[k] = id[i]
		}
		return z
	}
	for i := range int32(len(need)) {
		switch {
		case int(i) < base:
			id[i] = i
			continue
		case !need[i]:
			continue
		case i < d.base:
			id[i] = r.Constant(d.p.Consts()[int(i)-base])
			continue
		}
		a, b := d.p.Args(i)
		c := d.p.Constant(i)
		switch code := d.p.Op(i); code {
		case op.Sum:
			id[i] = r.Sum(c, renumber(d.p.SumAt(i)))
		case op.Affine:
			w, x := d.p.AffineAt(i)
			id[i] = r.Affine(c, w, renumber(x))
		case op.Dot:
			x, y := d.p.DotAt(i)
			id[i] = r.Dot(renumber(x), renumber(y))
		case op.FMA, op.IncGamma, op.IncBeta, op.Select:
			id[i] = r.Several(code, c, renumber(d.p.SeveralAt(i))...)
		case op.Own:
			f, order := d.p.OwnAt(i)
			id[i] = r.Own(f, order, id[a])
		case op.Call:
			if f := d.p.CallAt(i); f != nil {
				first := r.Call(f.Func, renumber(f.Args))
				for j := range f.Outputs() {
					id[i+j] = first + j
				}
			}
		default:
			if code.Operands() < 2 {
				b = a
			}
			id[i] = r.Push(code, id[a], id[b], c)
		}
	}
	return id
}
