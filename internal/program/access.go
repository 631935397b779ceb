package program

// View is a look at the nodes of a program, for other engines: node i has the
// operation Ops[i] with the operands A[i] and B[i] and the constant C[i], as
// described at Program; nodes below Base are inputs, parameters and constants.
// It is not to be written.
type View struct {
	Base    int32
	Ops     []Op
	A, B    []int32
	C       []float64
	Consts  []float64 // of the nodes Base−len(Consts) … Base−1
	Outputs []int32
	Owns    []*Scalar1
}

// View returns a look at the nodes.
func (p *Program) View() View {
	return View{int32(p.base), p.ops, p.a, p.b, p.c, p.consts, p.outputs, p.owns}
}

// SumAt is the operands of the Sum node i.
func (p *Program) SumAt(i int32) []int32 { return p.operands(i) }

// AffineAt is the weights and operands of the Affine node i.
func (p *Program) AffineAt(i int32) (w []float64, x []int32) { return p.affine(i) }

// DotAt is the operands of the Dot node i.
func (p *Program) DotAt(i int32) (x, y []int32) { return p.dot(i) }

// SelectAt is the operands of the Select node i.
func (p *Program) SelectAt(i int32) (cond, x, y int32) {
	l := p.lists[p.a[i]:][:3]
	return l[2], l[0], l[1]
}

// SeveralAt is the operands of node i, which always has so many of them.
func (p *Program) SeveralAt(i int32) []int32 { return p.several(i) }

// OwnAt is the function of the Own node i and which of its derivatives.
func (p *Program) OwnAt(i int32) (f *Scalar1, order int) { return p.owns[p.b[i]], int(p.c[i]) }

// First is node i, or the first output of the call that it is an output of.
func (p *Program) First(i int32) int32 {
	if p.ops[i] == Call {
		return i - p.b[i]
	}
	return i
}

// EachOperand calls f with the operands of node i.
func (p *Program) EachOperand(i int32, f func(j int32)) { p.eachOperand(i, f) }

// Lanes evaluates an operation with one or two operands, no Own, on lanes: dst
// = op(x, y), where y is the constants if it has one. dst may be x or y.
func Lanes(op Op, dst, x, y []float64) { values(op, dst, x, y) }
