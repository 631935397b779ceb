package sweep

import (
	"slices"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/series"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Sweeps over Taylor polynomials x(t) = Σ xₖtᵏ, k ≤ K: each node has K+1 coefficients, those
// of tᵏ of all nodes in an array for each k, of which the first is the values. What is linear
// does to each of them what it does to tangents, and to adjoints; other operations have
// programs (package series), run over the lanes of a block. The adjoints are polynomials, too:
//
//	x̄_a(t) += d_a(t)·x̄_i(t),  d_a the partial derivative along x(t),
//
// so that x̄(t) = F′(x(t))ᵀw(t): with w constant, the K+1 coefficients of a gradient.
//
// Where a program would divide by 0 or not be finite, and for rare operations, nodes go one by
// one as numbers, dual.Taylor, with the rules of dual.Of for adjoints; all of them do so if a
// result of a sweep is not finite, see Infinities.

// polynomials is memory for sweeps over Taylor polynomials.
type polynomials struct {
	order  int
	stride int         // from one coefficient to the next
	c, bar [][]float64 // by coefficient, then by node: parts of one array each; c[0] is the values
	all    [2][]float64

	lanes   int                            // of a block
	room    [series.Registers]series.Lanes // for that
	r       [series.Registers]series.Lanes // those of the last operation
	product []float64                      // an adjoint, or coefficients of one

	// Of numbers.
	memory      *dual.Taylors
	number, add []dual.Taylor // by node: operands, and what is added to adjoints
	load, give  func(j int32) // set and take these
	missing     *op.SeriesError

	call [3][][]float64 // by coefficient: operands of a call, their adjoints, its outputs
}

// Polynomials makes room for polynomials of the given order and returns their coefficients,
// by node, of which the caller sets those of the inputs from 1 on. Value is to follow: it
// computes the others.
func (ws *Workspace) Polynomials(order int) [][]float64 {
	e, p := ws.e, &ws.series
	if len(p.c) == order+1 {
		return p.c
	}
	n := e.Len()
	p.order, p.stride = order, (n+31)/64*64+32 // see directions
	p.bar = nil
	p.c, p.all[0] = p.arrays(n)
	copy(p.c[0], ws.v)
	ws.v = p.c[0]
	const cache = 4096 // numbers of a register: of 1024 to 16384 the fastest for orders 10 to 40
	p.lanes = max(8, min(compile.Block, cache/(order+1)&^7))
	for k := range p.room {
		stride := p.lanes + 8 // not a power of 2
		p.room[k] = series.Lanes{P: make([]float64, (order+1)*stride), Stride: stride}
	}
	p.product = make([]float64, max(p.lanes, order+1))
	p.memory = dual.NewTaylors(order)
	for k := range p.call {
		p.call[k] = make([][]float64, order+1)
	}
	return p.c
}

// arrays is an array of n numbers for each coefficient, and the one that they are parts of.
func (p *polynomials) arrays(n int) (x [][]float64, all []float64) {
	all = make([]float64, p.order*p.stride+n)
	for k := range p.order + 1 {
		x = append(x, all[k*p.stride:][:n:n])
	}
	return x, all
}

// Taylor computes the coefficients of all nodes, after Polynomials and Value.
func (ws *Workspace) Taylor() error {
	e, p := ws.e, &ws.series
	if p.order == 0 {
		return nil
	}
	ws.everySeed()
	if p.order == 1 {
		err := ws.tangents(p.c[1:])
		if err != nil || p.finiteAt(p.c, e.OutputNodes()) {
			return err
		}
		return ws.carefully(1, func() error { return ws.tangents(p.c[1:]) })
	}
	for _, c := range p.c[1:] {
		clear(c[e.Inputs():e.Base()])
	}
	err := ws.polynomials(false)
	if err != nil || p.finiteAt(p.c, e.OutputNodes()) {
		return err
	}
	return ws.polynomials(true)
}

// everySeed says that all inputs move in all directions.
func (ws *Workspace) everySeed() {
	ws.seeded = ws.e.EveryInput()
	for s := range ws.support {
		ws.support[s] = ws.seeded
	}
}

// finiteAt reports whether x is finite at nodes.
func (p *polynomials) finiteAt(x [][]float64, nodes []int32) bool {
	return !slices.ContainsFunc(x, func(c []float64) bool {
		return slices.ContainsFunc(nodes, func(j int32) bool { return c[j]-c[j] != 0 })
	})
}

// each calls do for coefficients from first on, as many at a time as there may be directions.
func (p *polynomials) each(x [][]float64, first int, do func(x [][]float64) error) error {
	for k := first; k < len(x); k += MaxDirections {
		if err := do(x[k:min(k+MaxDirections, len(x))]); err != nil {
			return err
		}
	}
	return nil
}

// polynomials is a sweep, by numbers alone or where needed.
func (ws *Workspace) polynomials(byNumbers bool) error {
	e, p := ws.e, &ws.series
	p.missing = nil
	batches := e.Batches()
	for k := range batches {
		b := &batches[k]
		var err error
		switch {
		case b.Kind == compile.Mixed || byNumbers || b.Kind == compile.Rows && b.Op == op.Dot:
			err = ws.polynomialNodes(b.Lo, b.Hi, byNumbers)
		case b.Op.Linear():
			err = p.each(p.c, 1, func(ts [][]float64) error { return ws.batchTangents(ts, b, b, b.Lo, compile.FirstOrder) })
		default:
			for lo := b.Lo; lo < b.Hi; lo += int32(p.lanes) {
				m := min(int32(p.lanes), b.Hi-lo)
				if !ws.program(b, lo, m, false) {
					_ = ws.polynomialNodes(lo, lo+m, true) // no calls
				}
			}
		}
		if err != nil {
			return err
		}
	}
	if p.missing != nil {
		return p.missing
	}
	return nil
}

// polynomialNodes does nodes one by one, as numbers if that is asked for.
func (ws *Workspace) polynomialNodes(lo, hi int32, byNumbers bool) error {
	e, p := ws.e, &ws.series
	for i := lo; i < hi; i++ {
		var err error
		switch code := e.Op(i); {
		case code == op.Call:
			err = ws.callSeries(i, false)
			i = e.LastOutput(i)
		case byNumbers:
			ws.asNumber(i)
		case code.Linear():
			err = p.each(p.c, 1, func(ts [][]float64) error { return ws.tangentNodes(ts, i, i+1) })
		case code == op.Dot || code == op.FMA:
			ws.dotSeries(i)
		case ws.programOf(i, false):
			for k, c := range p.c[1:] {
				c[i] = p.r[series.Z].P[k+1]
			}
		default:
			ws.asNumber(i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// program runs the program of the lanes lo … lo+m−1 of a batch, in p.r; it reports false if
// that is not for these operands.
func (ws *Workspace) program(b *compile.Batch, lo, m int32, partials bool) bool {
	p, off := &ws.series, lo-b.Lo
	p.r = p.room
	for k := range p.r {
		p.r[k].N = int(m)
	}
	p.operand(series.X, &b.A, off)
	if b.Op.Operands() == 2 {
		p.operand(series.Y, &b.B, off)
	} else {
		copy(p.r[series.Y].At(0), ws.e.constants(b, lo, m))
	}
	p.r[series.Z] = p.nodes(0, lo, m)
	if f := series.Of(b.Op); f != nil && f.Given {
		_, d := ws.partials1(b, lo, m, compile.FirstOrder)
		copy(p.r[series.DX].At(0), d)
	}
	return p.run(b.Op, partials)
}

// operand sets a register to an operand of the lanes from number off on.
func (p *polynomials) operand(register int, o *compile.Operand, off int32) {
	r := &p.r[register]
	if o.Access == compile.Consecutive {
		*r = p.nodes(0, o.At+off, int32(r.N))
		return
	}
	for k, c := range p.c {
		if x := r.At(k); o.Access == compile.Uniform {
			lane.Fill(x, c[o.At])
		} else {
			gather(x, c, o.Index[off:][:r.N])
		}
	}
}

// nodes is what the m nodes from lo on have, of c if which is 0, of bar if it is 1.
func (p *polynomials) nodes(which int, lo, m int32) series.Lanes {
	return series.Lanes{P: p.all[which][lo:], Stride: p.stride, N: int(m)}
}

// programOf is program for node i, with one or two operands.
func (ws *Workspace) programOf(i int32, partials bool) bool {
	e, p := ws.e, &ws.series
	code := e.Op(i)
	f := series.Of(code)
	if f == nil {
		return false
	}
	p.r = p.room
	for k := range p.r {
		p.r[k].Stride, p.r[k].N = 1, 1
	}
	a, b := e.Args(i)
	collect(p.r[series.X].P, p.c, a)
	if code.Operands() == 2 {
		collect(p.r[series.Y].P, p.c, b)
	} else {
		p.r[series.Y].P[0] = e.Constant(i)
	}
	p.r[series.Z].P[0] = ws.v[i]
	if f.Given {
		p.r[series.DX].P[0], _ = e.Partials(ws.v, i)
	}
	return p.run(code, partials)
}

// collect sets dst to the coefficients of node i.
func collect(dst []float64, x [][]float64, i int32) {
	for k, x := range x {
		dst[k] = x[i]
	}
}

// run runs the program of an operation in p.r, unless it is not for these operands.
func (p *polynomials) run(code op.Code, partials bool) bool {
	f, r := series.Of(code), &p.r
	x, y, z := r[series.X].At(0), r[series.Y].At(0), r[series.Z].At(0)
	if f == nil || !finite(x) || !finite(z) || f.Given && !finite(r[series.DX].At(0)) || code.Operands() == 2 && !finite(y) {
		return false
	}
	if code == op.PowInt || code == op.PowReal {
		if series.Powered(y[0]) && !slices.ContainsFunc(y, func(c float64) bool { return c != y[0] }) {
			series.Power(r, int(y[0]), p.order, partials)
			return true
		}
		if slices.ContainsFunc(y, series.Powered) {
			return false
		}
	}
	if f.Far != nil {
		for l := range z {
			if f.Far(x[l], y[l], z[l]) {
				return false
			}
		}
	}
	f.Run(r, p.order, partials)
	return true
}

// factorsOf is the operands of the Dot node i, and whether they are consecutive; of an FMA
// those of its product, and the third operand, else −1.
func (e *Engine) factorsOf(i int32) (x, y []int32, consecutive bool, third int32) {
	if e.Op(i) == op.FMA {
		list := e.SeveralAt(i)
		return list[:1], list[1:2], false, list[2]
	}
	x, y = e.DotAt(i)
	return x, y, e.Consecutive(i), -1
}

// dotSeries does the Dot or FMA node i.
func (ws *Workspace) dotSeries(i int32) {
	c := ws.series.c
	x, y, consecutive, third := ws.e.factorsOf(i)
	for k := 1; k < len(c); k++ {
		s := 0.0
		if third >= 0 {
			s = c[k][third]
		}
		for j := range k + 1 {
			if consecutive {
				s = dotOf(s, c[j][x[0]:][:len(x)], c[k-j][y[0]:][:len(x)])
				continue
			}
			for l, a := range x {
				s += float64(c[j][a] * c[k-j][y[l]])
			}
		}
		c[k][i] = s
	}
}

// TaylorVJP computes the coefficients of F′(x(t))ᵀw(t), after Taylor, for those of w(t): they
// are in the result by coefficient, then by input.
func (ws *Workspace) TaylorVJP(w [][]float64) ([][]float64, error) {
	e, p := ws.e, &ws.series
	if p.bar == nil {
		p.bar, p.all[1] = p.arrays(e.Len())
	}
	ws.everySeed()
	start := func() {
		zeros := grow(&ws.cotangent, e.Outputs())
		clear(zeros)
		for k, g := range p.bar {
			if k < len(w) {
				ws.start(g, w[k])
			} else {
				ws.start(g, zeros)
			}
		}
	}
	start()
	err := ws.polynomialAdjoints(false)
	if err != nil || !slices.ContainsFunc(p.bar, func(g []float64) bool { return !finite(g[:e.Inputs()]) }) {
		return p.bar, err
	}
	return p.bar, ws.carefully(1, func() error {
		start()
		return ws.polynomialAdjoints(true)
	})
}

// polynomialAdjoints is a sweep in reverse, by numbers alone or where needed.
func (ws *Workspace) polynomialAdjoints(byNumbers bool) error {
	e, p := ws.e, &ws.series
	p.missing = nil
	batches := e.Batches()
	for n := len(batches) - 1; n >= 0; n-- {
		b := &batches[n]
		var err error
		switch {
		case b.Kind == compile.Mixed || byNumbers || b.Kind == compile.Rows && b.Op == op.Dot:
			err = ws.polynomialAdjointNodes(b.Lo, b.Hi, byNumbers)
		case b.Op.Linear():
			err = p.each(p.bar, 0, func(gs [][]float64) error { return ws.batchAdjoints(gs, b, false) })
		default:
			for lo := b.Lo; lo < b.Hi && err == nil; lo += int32(p.lanes) {
				err = ws.polynomialAdjointLanes(b, lo, min(int32(p.lanes), b.Hi-lo))
			}
		}
		if err != nil {
			return err
		}
	}
	if p.missing != nil {
		return p.missing
	}
	return nil
}

// polynomialAdjointLanes does the lanes lo … lo+m−1 of b.
func (ws *Workspace) polynomialAdjointLanes(b *compile.Batch, lo, m int32) error {
	p := &ws.series
	of := [2]*compile.Operand{&b.A, &b.B}
	operands := of[:b.Op.Operands()]
	if !ws.program(b, lo, m, true) {
		for _, o := range operands {
			if t := targetOf(o, compile.FirstOrder, lo-b.Lo); t.overwrite {
				for _, g := range p.bar {
					clear(t.lanes(g, int(m)))
				}
			}
		}
		return ws.polynomialAdjointNodes(lo, lo+m, true)
	}
	f, g := series.Of(b.Op), p.nodes(1, lo, m)
	for n, o := range operands {
		t := targetOf(o, compile.FirstOrder, lo-b.Lo)
		for k, bar := range p.bar {
			series.Product(p.product[:m], p.r[f.By[n]], g, k, 1)
			t.plus(bar, p.product[:m])
		}
	}
	return nil
}

// polynomialAdjointNodes does nodes one by one, as numbers if that is asked for.
func (ws *Workspace) polynomialAdjointNodes(lo, hi int32, byNumbers bool) error {
	e, p := ws.e, &ws.series
	for i := hi - 1; i >= lo; i-- {
		var err error
		switch code := e.Op(i); {
		case code == op.Call:
			i = e.FirstOutput(i)
			err = ws.callSeries(i, true)
		case byNumbers:
			ws.numberAdjoint(i)
		case code.Linear():
			err = p.each(p.bar, 0, func(gs [][]float64) error { return ws.adjointNodes(gs, i, i+1) })
		case code == op.Dot || code == op.FMA:
			ws.dotSeriesAdjoint(i)
		case ws.programOf(i, true):
			g := p.product[:p.order+1]
			collect(g, p.bar, i)
			f := series.Of(code)
			a, b := e.Args(i)
			for k, bar := range p.bar {
				bar[a] += series.Sum(p.r[f.By[0]].P, g, k, 0)
				if code.Operands() == 2 {
					bar[b] += series.Sum(p.r[f.By[1]].P, g, k, 0)
				}
			}
		default:
			ws.numberAdjoint(i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dotSeriesAdjoint does the Dot or FMA node i.
func (ws *Workspace) dotSeriesAdjoint(i int32) {
	c := ws.series.c
	x, y, consecutive, third := ws.e.factorsOf(i)
	for k, bar := range ws.series.bar {
		if third >= 0 {
			bar[third] += bar[i]
		}
		for j := range k + 1 {
			g, c := ws.series.bar[j][i], c[k-j]
			if consecutive {
				lane.Axpy(bar[x[0]:][:len(x)], c[y[0]:][:len(x)], g)
				lane.Axpy(bar[y[0]:][:len(x)], c[x[0]:][:len(x)], g)
				continue
			}
			for l, a := range x {
				bar[a] += float64(c[y[l]] * g)
				bar[y[l]] += float64(c[a] * g)
			}
		}
	}
}

// take is the polynomial of node j in x, by coefficient; a constant if all others are 0.
func (p *polynomials) take(x [][]float64, j int32) dual.Taylor {
	c := p.product[:len(x)]
	collect(c, x, j)
	if !slices.ContainsFunc(c[1:], func(v float64) bool { return v != 0 }) {
		return dual.Const[dual.Taylor](c[0])
	}
	return p.memory.Variable(c...)
}

// numbers makes the memory for numbers ready, and sets those of the operands of node i.
func (ws *Workspace) numbers(i int32) {
	e, p := ws.e, &ws.series
	if p.number == nil {
		p.number, p.add = make([]dual.Taylor, e.Len()), make([]dual.Taylor, e.Len())
		p.load = func(j int32) { p.number[j] = p.take(p.c, j) }
		p.give = func(j int32) {
			for k, bar := range p.bar {
				bar[j] += p.add[j].Coefficient(k)
			}
			p.add[j] = dual.Taylor{}
		}
	}
	p.memory.Reset()
	e.EachOperand(i, p.load)
}

// asNumber does node i, which is no call.
func (ws *Workspace) asNumber(i int32) {
	p := &ws.series
	ws.numbers(i)
	tape.Evaluate(&ws.e.Tape, i, p.number, primitives{p})
	for k := 1; k < len(p.c); k++ {
		p.c[k][i] = p.number[i].Coefficient(k)
	}
}

// numberAdjoint adds what node i, which is no call, contributes to the adjoints of its operands.
func (ws *Workspace) numberAdjoint(i int32) {
	p := &ws.series
	ws.numbers(i)
	g := p.take(p.bar, i)
	if !slices.ContainsFunc(p.product[:len(p.bar)], func(v float64) bool { return v != 0 }) {
		return
	}
	tape.Pullback(&ws.e.Tape, i, p.number, g, p.add, primitives{p})
	ws.e.EachOperand(i, p.give)
}

// primitives applies scalar primitives to numbers.
type primitives struct{ *polynomials }

func (p primitives) Call(tape.Func, []dual.Taylor) []dual.Taylor { panic("sweep: a call as a number") }

// Own is Σ f⁽ᵏ⁾(x₀)/k!·(x − x₀)ᵏ, f differentiated order times.
func (p primitives) Own(f *tape.Scalar1, order int, x dual.Taylor) dual.Taylor {
	c := p.product[:p.order+1]
	if !f.Series(c, order, x.Value()) {
		p.missing = &op.SeriesError{Name: f.Name, Order: p.order}
	}
	z, h := x.Const(c[p.order]), x.SubReal(x.Value())
	for k := p.order - 1; k >= 0; k-- {
		z = z.Mul(h).AddReal(c[k])
	}
	return z
}

// callSeries does the call whose first output is node i, or adds what it contributes to the
// adjoints of its operands.
func (ws *Workspace) callSeries(i int32, adjoint bool) error {
	e, p := ws.e, &ws.series
	c := e.CallAt(i)
	if c == nil {
		return nil
	}
	called, _ := ws.function(c)
	f, ok := called.(op.Series)
	if !ok {
		f = lowOrder{called}
	}
	x, gx, y := p.call[0], p.call[1], p.call[2]
	of := p.c
	if adjoint {
		of = p.bar
	}
	for k := range x {
		x[k] = grow(&x[k], e.mostArgs)[:len(c.Args)]
		gather(x[k], p.c[k], c.Args)
		y[k] = of[k][i : i+c.Outputs()]
	}
	if !adjoint {
		return ws.failedSeries(c, f.Taylor(y, x))
	}
	for k := range gx {
		gx[k] = grow(&gx[k], e.mostArgs)[:len(c.Args)]
	}
	if err := f.TaylorVJP(gx, x, y); err != nil {
		return ws.failedSeries(c, err)
	}
	for k, gx := range gx {
		scatter(p.bar[k], gx, c)
	}
	return nil
}

// failedSeries is failed, of an error of polynomials.
func (ws *Workspace) failedSeries(c *tape.Call, err error) error {
	if _, missing := err.(*op.SeriesError); missing {
		return err
	}
	return failed(c, err)
}

// lowOrder has the polynomials of a function that its two derivatives say.
type lowOrder struct{ tape.Func }

// Taylor is F + tF′x₁ + t²(F′x₂ + ½x₁ᵀF″x₁).
func (f lowOrder) Taylor(y, x [][]float64) error {
	if len(x) > 3 {
		return f.missing(x)
	}
	if err := f.Eval(y[0], x[0]); err != nil {
		return err
	}
	for k := 1; k < len(x); k++ {
		if err := f.JVP(y[k], x[0], x[k]); err != nil {
			return err
		}
	}
	if len(x) < 3 {
		return nil
	}
	w, h := make([]float64, len(y[0])), make([]float64, len(x[0]))
	for j := range w {
		w[j] = 1
		if err := f.HVP(h, x[0], w, x[1]); err != nil {
			return err
		}
		w[j] = 0
		y[2][j] += float64(dotOf(0, h, x[1]) / 2)
	}
	return nil
}

// TaylorVJP is F′ᵀw₀ + t(F′ᵀw₁ + w₀ᵀF″x₁).
func (f lowOrder) TaylorVJP(gx, x, w [][]float64) error {
	if len(x) > 2 {
		return f.missing(x)
	}
	for k := range x {
		if err := f.VJP(gx[k], x[0], w[k]); err != nil {
			return err
		}
	}
	if len(x) < 2 {
		return nil
	}
	h := make([]float64, len(x[0]))
	if err := f.HVP(h, x[0], w[0], x[1]); err != nil {
		return err
	}
	lane.Add(gx[1], gx[1], h)
	return nil
}

func (f lowOrder) missing(x [][]float64) error {
	return &op.SeriesError{Name: f.Name(), Order: len(x) - 1}
}
