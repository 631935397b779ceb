package plan

import (
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/scan"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/sparsity"
)

// LackError says that an operation has no third derivatives.
type LackError struct{ Operation string }

func (e *LackError) Error() string {
	return "hessian: no third derivative of the operation " + e.Operation
}

// lacking is the name of an operation that inputs move and that has no third derivatives; empty
// if there is none.
func lacking(t *tape.Tape, inputs func(i int) bool) (name string) {
	every := func(int) bool { return true }
	moved := make([]bool, t.Len())
	for i := range t.Inputs() {
		moved[i] = inputs(i)
	}
	for i := int32(t.Base()); i < int32(t.Len()) && name == ""; i++ {
		moved[i] = moved[t.FirstOutput(i)]
		t.EachOperand(i, func(j int32) { moved[i] = moved[i] || moved[j] })
		if !moved[i] {
			continue
		}
		if f, _ := t.OwnAt(i); f != nil {
			return f.Name
		}
		c := t.CallAt(i)
		if c == nil {
			continue
		}
		switch f := c.Func.(type) {
		case op.Tangential:
		case tape.Repeated:
			name = lacking(f.Term(), every)
		case *scan.Loop:
			for _, s := range f.Steps {
				name = max(name, lacking(&s.P.Tape, every))
			}
		default:
			name = f.Name()
		}
	}
	return name
}

// Third is what there is of third derivatives of f = Σ wⱼyⱼ in a pattern: their sums
// T(W)ₖ = Σ Wᵢⱼ ∂³f/∂xᵢ∂xⱼ∂xₖ for symmetric W, and D³f[v]. Of W the lower triangle is read. It is
// computed in one of three ways.
type Third struct {
	p       *Plan
	pattern *sparsity.Pattern
	mirror  []int32   // by entry of pattern, the number of that in the lower triangle, if it has both
	pool    sync.Pool // of *thirdBuffers

	// The same of x ↦ f′(x)v, v behind the parameters, made when it is first needed; by terms also
	// the Hessian of that, of which entry k is entry[k] of the pattern.
	once   sync.Once
	next   *Third
	matrix *terms.Hessian
	entry  []int32

	// By terms, T is the gradient of Σ Wᵢⱼ ∂²f/∂xᵢ∂xⱼ. Entry k of the pattern of the rest is
	// number places[k].
	terms  *terms.Plan
	rest   *Third
	places []int32

	// By the program of [x; W] ↦ Σ Wᵢⱼ ∂²f/∂xᵢ∂xⱼ, where the functions have it. Else by a coloring
	// with the seeds s: what is recovered from the products is linear in them, so that the sum is
	// Σ wₖᵀHsₖ, see coloring.Recovery. The gradient of wᵀHs is Hessian times w of f′s, which along
	// computes. The coloring is that of all rows and columns that W touches. In both, element k of
	// a lower triangle is number low[k] of the pattern, 0 if that is −1; it counts once on the
	// diagonal and else twice.
	contracted *sweep.Engine
	along      *sweep.Engine
	recovery   *coloring.Recovery
	seeds      [][]int32
	low        []int32
	counts     []float64
}

// thirdBuffers is the memory of an evaluation.
type thirdBuffers struct {
	x, weights, params, values, y []float64
	sum, matrix                   []float64 // results
}

// Third plans third derivatives in a pattern, symmetric or a lower triangle; nil is the Pattern.
// The error is a *LackError.
func (p *Plan) Third(w *sparsity.Pattern) (*Third, error) {
	n := p.program.Inputs()
	if w == nil {
		w = p.stored
	}
	lower := w.Lower()
	if r, c := w.Dims(); r != n || c != n || !w.IsSymmetric() && !w.Equal(lower) {
		p.panicf("the pattern of W is neither symmetric nor a lower triangle, %d×%[1]d", n)
	}
	lower = restricted(lower, p.full.Has)
	touched := make([]bool, n)
	for i, j := range lower.All() {
		touched[i], touched[j] = true, true
	}
	if name := lacking(p.program.Tape(), func(i int) bool { return touched[i] }); name != "" {
		return nil, &LackError{name}
	}
	t := &Third{p: p, pattern: w}
	t.pool.New = t.newBuffers
	if !w.Equal(w.Lower()) {
		for i, j := range w.All() {
			t.mirror = append(t.mirror, int32(w.Position(max(i, j), min(i, j))))
		}
	}
	if p.terms == nil {
		if t.contracted = inside.Contracted(p.program.Engine(), lower); t.contracted != nil {
			t.count(lower)
		} else {
			t.byColoring(touched)
		}
		return t, nil
	}
	t.terms = p.terms.Contract(w)
	if p.rest == nil {
		return t, nil
	}
	if of := restricted(lower, p.rest.full.Has); of.NNZ() > 0 {
		t.places = positions(w, of)
		var err error
		t.rest, err = p.rest.Third(of)
		return t, err
	}
	return t, nil
}

func (t *Third) newBuffers() any {
	return &thirdBuffers{sum: make([]float64, t.p.program.Inputs()), matrix: make([]float64, t.pattern.NNZ())}
}

// count says where the elements of a lower triangle are in W.
func (t *Third) count(lower *sparsity.Pattern) {
	t.low = positions(t.pattern, lower)
	for i, j := range lower.All() {
		if i == j {
			t.counts = append(t.counts, 1)
		} else {
			t.counts = append(t.counts, 2)
		}
	}
}

func (t *Third) byColoring(touched []bool) {
	full, c := t.p.full, t.p.coloring
	if slices.Contains(touched, false) {
		full = restricted(full, func(i, j int) bool { return touched[i] && touched[j] })
		c = coloring.New(coloring.Star, full, t.p.Orders...)
	}
	for k := range c.Columns().Num() {
		t.seeds = append(t.seeds, slices.DeleteFunc(slices.Clone(c.Columns().Class(k)), func(i int32) bool { return !touched[i] }))
	}
	lower := full.Lower()
	t.recovery = c.Recovery(lower)
	t.count(lower)
	t.along = inside.Along(t.p.program.Engine())
}

// restricted is the entries of p that are wanted.
func restricted(p *sparsity.Pattern, wanted func(i, j int) bool) *sparsity.Pattern {
	var is, js []int
	for i, j := range p.All() {
		if wanted(i, j) {
			is, js = append(is, i), append(js, j)
		}
	}
	r, c := p.Dims()
	return sparsity.FromCoordinates(r, c, is, js)
}

// Eval is T(W) at x, in dst unless that is nil. dst may be an argument.
func (t *Third) Eval(dst, x []float64, weights *sparsity.Matrix, w []float64) ([]float64, error) {
	return t.sum(dst, x, weights, nil, w)
}

// EvalAlong is the derivative of Eval along v.
func (t *Third) EvalAlong(dst, x []float64, weights *sparsity.Matrix, v, w []float64) ([]float64, error) {
	t.p.check(v, t.p.program.Inputs(), "v")
	return t.sum(dst, x, weights, v, w)
}

func (t *Third) sum(dst, x []float64, weights *sparsity.Matrix, v, w []float64) ([]float64, error) {
	x, params, w := t.p.point(x, w)
	if weights == nil || !weights.Pattern().Equal(t.pattern) {
		t.p.panicf("W has another pattern")
	}
	g := dst
	if g == nil {
		g = make([]float64, len(x))
	}
	t.p.check(g, len(x), "dst")
	b := t.pool.Get().(*thirdBuffers)
	defer t.pool.Put(b)
	if err := t.eval(b, weights.Values(), x, params, v, w); err != nil {
		return dst, err
	}
	copy(g, b.sum)
	return g, nil
}

// Along is D³f[v], the derivative of the Hessian along v, in the pattern, in dst unless that is nil.
func (t *Third) Along(dst *sparsity.Matrix, x, v, w []float64) (*sparsity.Matrix, error) {
	t.p.check(v, t.p.program.Inputs(), "v")
	x, params, w := t.p.point(x, w)
	h := dst
	if h == nil {
		h = sparsity.NewMatrix(t.pattern)
	}
	if !h.Pattern().Equal(t.pattern) {
		t.p.panicf("dst has another pattern")
	}
	b := t.pool.Get().(*thirdBuffers)
	defer t.pool.Put(b)
	if err := t.hessian(b, x, params, v, w); err != nil {
		return dst, err
	}
	copy(h.Values(), b.matrix)
	for k, at := range t.mirror {
		h.Values()[k] = b.matrix[at]
	}
	return h, nil
}

// eval computes the sum, or its derivative along v unless that is nil. It does not allocate if
// Workers ≤ 1.
func (t *Third) eval(b *thirdBuffers, weights, x, params, v, w []float64) (err error) {
	if t.contracted != nil {
		return t.byContraction(b, weights, x, params, v, w)
	}
	s := t
	if v != nil {
		t.prepare()
		s = t.next
		b.params = append(append(b.params[:0], params...), v...)
	} else {
		b.params = append(b.params[:0], params...)
	}
	if t.terms == nil {
		return s.bySweeps(b, weights, x, w)
	}
	b.params = append(append(b.params, weights...), 0)
	s.terms.ContractedGradient(t.p.Workers, b.sum, x, b.params, w)
	if t.rest == nil {
		return nil
	}
	r := t.rest.pool.Get().(*thirdBuffers)
	defer t.rest.pool.Put(r)
	r.matrix = r.matrix[:len(t.places)]
	for k, at := range t.places {
		r.matrix[k] = weights[at]
	}
	err = t.rest.eval(r, r.matrix, x, params, v, w)
	for i, v := range r.sum {
		b.sum[i] += v
	}
	return err
}

// prepare makes what derivatives along a direction take.
func (t *Third) prepare() {
	t.once.Do(func() {
		if t.terms == nil {
			t.next = &Third{p: t.p, along: inside.Along(t.along), recovery: t.recovery, seeds: t.seeds, low: t.low, counts: t.counts}
			return
		}
		along := t.p.terms.Along()
		t.next = &Third{p: t.p, terms: along.Contract(t.pattern)}
		t.matrix = along.Hessian(t.p.stored)
		if !t.pattern.Equal(t.p.stored) {
			t.entry = positions(t.pattern, t.p.stored)
		}
	})
}

// hessian computes D³f[v].
func (t *Third) hessian(b *thirdBuffers, x, params, v, w []float64) error {
	if t.contracted != nil {
		return t.byContraction(b, b.matrix, x, params, v, w)
	}
	if t.terms == nil {
		return t.byProducts(b, x, params, v, w)
	}
	t.prepare()
	values := b.matrix
	if t.entry != nil {
		b.values = slices.Grow(b.values[:0], len(t.entry))[:len(t.entry)]
		values = b.values
		clear(b.matrix)
	}
	b.params = append(append(b.params[:0], params...), v...)
	b.y = slices.Grow(b.y[:0], len(w))[:len(w)]
	all := w
	if len(w) == 1 && w[0] == 1 {
		all = nil // 1
	}
	t.matrix.EvalParallel(t.p.Workers, values, b.y, nil, x, b.params, all)
	for k, at := range t.entry {
		if at >= 0 {
			b.matrix[at] = values[k]
		}
	}
	if t.rest == nil {
		return nil
	}
	r := t.rest.pool.Get().(*thirdBuffers)
	defer t.rest.pool.Put(r)
	err := t.rest.hessian(r, x, params, v, w)
	for k, at := range t.places {
		b.matrix[at] += r.matrix[k]
	}
	return err
}

// byContraction computes the sum or, along v unless that is nil, its derivative and the matrix.
func (t *Third) byContraction(b *thirdBuffers, weights, x, params, v, w []float64) error {
	ws := t.contracted.Get()
	defer t.contracted.Put(ws)
	b.x = append(b.x[:0], x...)
	for _, at := range t.low {
		b.x = append(b.x, weights[at])
	}
	if err := t.p.begin(ws, b.x, params, w, v != nil); err != nil {
		return err
	}
	if v == nil {
		copy(b.sum, ws.Adjoints())
		return nil
	}
	if err := ws.HVP(1, func(s []float64, _ int) { copy(s, v) }); err != nil {
		return err
	}
	h := ws.Product(0)
	clear(b.matrix)
	for k, at := range t.low {
		b.matrix[at] = h[len(x)+k] / t.counts[k]
	}
	copy(b.sum, h)
	return nil
}

// bySweeps is eval by a coloring, with b.params.
func (t *Third) bySweeps(b *thirdBuffers, weights, x, w []float64) error {
	b.weights = slices.Grow(b.weights[:0], len(t.low))[:len(t.low)]
	clear(b.weights)
	for k, at := range t.low {
		if at >= 0 {
			b.weights[k] = t.counts[k] * weights[at]
		}
	}
	t.recovery.Transpose(b.weights)
	clear(b.sum)
	ws := t.along.Get()
	defer t.along.Put(ws)
	k := len(b.params)
	b.params = slices.Grow(b.params, len(x))[:k+len(x)]
	direction := b.params[k:]
	for k, class := range t.seeds {
		clear(direction)
		seed(direction, class)
		err := t.p.begin(ws, x, b.params, w, true)
		if err == nil {
			err = ws.HVP(1, func(v []float64, _ int) { t.recovery.ScatterColumns(v, k, b.weights) })
		}
		if err != nil {
			return err
		}
		for i, h := range ws.Product(0) {
			b.sum[i] += h
		}
	}
	return nil
}

// byProducts is hessian by a coloring.
func (t *Third) byProducts(b *thirdBuffers, x, params, v, w []float64) error {
	ws := t.along.Get()
	defer t.along.Put(ws)
	b.params = append(append(b.params[:0], params...), v...)
	if err := t.p.begin(ws, x, b.params, w, true); err != nil {
		return err
	}
	b.weights = slices.Grow(b.weights[:0], len(t.low))[:len(t.low)]
	for lo := 0; lo < len(t.seeds); lo += lanes {
		k := min(lanes, len(t.seeds)-lo)
		if err := ws.HVP(k, func(v []float64, s int) { seed(v, t.seeds[lo+s]) }); err != nil {
			return err
		}
		for s := range k {
			t.recovery.GatherColumns(b.weights, lo+s, ws.Product(s))
		}
	}
	t.recovery.Finish(b.weights)
	clear(b.matrix)
	for k, at := range t.low {
		if at >= 0 {
			b.matrix[at] = b.weights[k]
		}
	}
	return nil
}
