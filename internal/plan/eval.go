package plan

import (
	"errors"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/internal/workers"
	"github.com/hesse-ad/hesse/sparsity"
)

// buffers is the memory of an evaluation by terms.
type buffers struct {
	y            []float64 // the outputs, of which a Hessian needs the weighted sum
	x, w         []float64 // copies of arguments that results overwrite
	values, also []float64 // results of the rest
}

func (p *Plan) newBuffers() any {
	b := new(buffers)
	n := p.program.Outputs()
	if p.Hessian {
		b.y, n = make([]float64, n), p.program.Inputs()
	}
	if p.rest != nil {
		b.also = make([]float64, n)
		if p.matrix != nil {
			b.values = make([]float64, p.rest.stored.NNZ())
		}
	}
	return b
}

// Eval returns the matrix at x, in dst unless that is nil. The weights w are for a Hessian.
func (p *Plan) Eval(dst *sparsity.Matrix, x, w []float64) (*sparsity.Matrix, error) {
	x, params, w := p.point(x, w)
	a := p.Matrix(dst)
	if _, err := p.eval(a.Values(), nil, x, params, w); err != nil {
		return dst, err
	}
	return a, nil
}

// EvalAll stores the matrix at x in dst and what is computed on the way in also, which a
// user knows by a name; see eval.
func (p *Plan) EvalAll(dst *sparsity.Matrix, also []float64, name string, x, w []float64) (f float64, err error) {
	n := p.program.Outputs()
	if p.Hessian {
		n = p.program.Inputs()
	}
	p.check(also, n, name)
	x, params, w := p.point(x, w)
	return p.eval(p.Given(dst).Values(), also, x, params, w)
}

// ValueGradient is f and the gradient of a Hessian's function, in dst unless that is nil.
func (p *Plan) ValueGradient(dst, x, w []float64) (f float64, g []float64, err error) {
	x, params, w := p.point(x, w)
	if g = dst; g == nil {
		g = make([]float64, len(x))
	}
	p.check(g, len(x), "dst")
	if f, err = p.eval(nil, g, x, params, w); err != nil {
		return 0, dst, err
	}
	return f, g, nil
}

func (p *Plan) check(x []float64, n int, name string) {
	if len(x) != n {
		p.panicf("%s has length %d, want %d", name, len(x), n)
	}
}

// point is the inputs, the parameters and the weights of an evaluation.
func (p *Plan) point(x, w []float64) (in, params, weights []float64) {
	if p.Hessian {
		return p.tape.Weighted(p.pkg(), x, w)
	}
	in, params = p.tape.Split(x)
	return in, params, nil
}

// eval computes the values of the matrix, in the order of Pattern, and in also what is
// computed on the way. With a Hessian that is the gradient of f = Σ wⱼyⱼ; it returns f.
// With a Jacobian, for which w is nil, it is the outputs y, and it returns 0. also may be
// nil, and may be x or w; values may be nil for a Hessian. It does not allocate if
// Workers ≤ 1. On an error nothing is stored.
func (p *Plan) eval(values, also, x, params, w []float64) (f float64, err error) {
	switch {
	case p.terms != nil:
		return p.evalTerms(values, also, x, params, w)
	case p.sums != nil:
		return p.evalSums(values, also, x, params, w)
	default:
		return p.evalSweeps(values, also, x, params, w)
	}
}

// evalSweeps is eval by sweeps.
func (p *Plan) evalSweeps(values, also, x, params, w []float64) (f float64, err error) {
	q := p.program.Engine()
	ws := q.Get()
	defer q.Put(ws)
	if err = p.begin(ws, x, params, w, values != nil); err == nil && values != nil {
		err = p.byProducts(ws, values)
	}
	if err != nil {
		return 0, err
	}
	if !p.Hessian {
		for j := range also {
			also[j] = ws.Output(j)
		}
		return 0, nil
	}
	for j, w := range w {
		f += weigh(w, ws.Output(j))
	}
	copy(also, ws.Adjoints())
	return f, nil
}

// begin does the sweeps that all products share: for the values and, for a Hessian, for the
// adjoints. Without products, the latter keeps nothing for them.
func (p *Plan) begin(ws *sweep.Workspace, x, params, w []float64, products bool) error {
	g, err := ws.Value(x, params)
	switch err = inside.Error(ws, g, err); {
	case err != nil || !p.Hessian:
		return err
	case products:
		return ws.Linearize(w)
	default:
		return ws.Gradient(w)
	}
}

// isSame reports whether two arguments begin at the same place in memory.
func isSame(a, b []float64) bool { return len(a) > 0 && len(b) > 0 && &a[0] == &b[0] }

// weigh is w·y, 0 if w is.
func weigh(w, y float64) float64 {
	if w == 0 {
		return 0
	}
	return w * y
}

// weightsUnless1 is w, nil if there is one and it is 1.
func weightsUnless1(w []float64) []float64 {
	if len(w) == 1 && w[0] == 1 {
		return nil
	}
	return w
}

// evalTerms is eval by terms.
func (p *Plan) evalTerms(values, also, x, params, w []float64) (f float64, err error) {
	b := p.pool.Get().(*buffers)
	defer p.pool.Put(b)
	if isSame(also, x) { // terms write to also while others still read x
		b.x = append(b.x[:0], x...)
		x = b.x
	}
	if isSame(also, w) {
		b.w = append(b.w[:0], w...)
		w = b.w
	}
	if p.rest != nil { // before anything is stored, since only the rest may fail
		restValues, restAlso := b.values, b.also
		if values == nil {
			restValues = nil
		}
		if also == nil {
			restAlso = nil
		}
		if f, err = p.rest.eval(restValues, restAlso, x, params, w); err != nil {
			return 0, err
		}
	}
	switch {
	case values == nil:
		p.terms.GradientParallel(p.Workers, b.y, also, x, params, weightsUnless1(w))
	case p.Hessian:
		p.matrix.(*terms.Hessian).EvalParallel(p.Workers, values, b.y, also, x, params, weightsUnless1(w))
	default:
		p.matrix.(*terms.Jacobian).EvalParallel(p.Workers, values, also, x, params)
	}
	for j, w := range w {
		f += weigh(w, b.y[j])
	}
	if p.rest == nil {
		return f, nil
	}
	for i := range also {
		also[i] += b.also[i]
	}
	if values != nil {
		for k, v := range b.values {
			if at := p.places[k]; at >= 0 {
				values[at] += v
			}
		}
	}
	return f, nil
}

const lanes = sweep.MaxDirections

// byProducts makes the products of all colors, up to MaxDirections in a sweep, and
// recovers the values from them.
func (p *Plan) byProducts(ws *sweep.Workspace, dst []float64) error {
	err, values := error(nil), dst
	if p.program.Engine().MayFail() {
		room := sweep.Room(len(dst))
		defer sweep.Leave(room)
		values = *room
	}
	if n := min(p.Workers, sweeps(p.coloring.Columns())+sweeps(p.coloring.Rows())); n > 1 {
		err = p.parallel(ws, values, n)
	} else {
		err = p.everySweep(ws, values, 0, 1)
	}
	if err == nil {
		p.recovery.Finish(values)
		if p.program.Engine().MayFail() {
			copy(dst, values)
		}
	}
	return err
}

// sweeps is how many sweeps make the products of classes.
func sweeps(c *coloring.Classes) int { return (c.Num() + lanes - 1) / lanes }

func (p *Plan) parallel(ws *sweep.Workspace, values []float64, n int) error {
	errs := make([]error, n)
	workers.Do(n, func(i int) {
		own := p.program.Engine().Get()
		defer p.program.Engine().Put(own)
		defer own.Share(ws)()
		errs[i] = p.everySweep(own, values, i, n)
	})
	return errors.Join(errs...)
}

// everySweep makes the sweeps first, first + stride, …; sweeps of columns are numbered
// before those of rows.
func (p *Plan) everySweep(ws *sweep.Workspace, values []float64, first, stride int) error {
	columns := sweeps(p.coloring.Columns())
	for s := first; s < columns+sweeps(p.coloring.Rows()); s += stride {
		var err error
		switch {
		case s >= columns:
			err = p.vjps(ws, values, (s-columns)*lanes)
		case p.Hessian:
			err = p.hvps(ws, values, s*lanes)
		default:
			err = p.jvps(ws, values, s*lanes)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hvps makes one sweep: products of the Hessian with the colors from lo on.
func (p *Plan) hvps(ws *sweep.Workspace, values []float64, lo int) error {
	c := p.coloring.Columns()
	k := min(lanes, c.Num()-lo)
	if err := ws.HVP(k, func(v []float64, s int) { seed(v, c.Class(lo+s)) }); err != nil {
		return err
	}
	for s := range k {
		p.recovery.GatherColumns(values, lo+s, ws.Product(s))
	}
	return nil
}

// jvps makes one sweep: products of the Jacobian with the colors from lo on.
func (p *Plan) jvps(ws *sweep.Workspace, values []float64, lo int) error {
	c := p.coloring.Columns()
	k := min(lanes, c.Num()-lo)
	if err := ws.JVP(k, func(v []float64, s int) { seed(v, c.Class(lo+s)) }); err != nil {
		return err
	}
	y := ws.OutputBuffer()
	for s := range k {
		for i := range y {
			y[i] = ws.OutputTangent(s, i)
		}
		p.recovery.GatherColumns(values, lo+s, y)
	}
	return nil
}

// vjps makes one sweep: products of the transposed Jacobian with the row colors from lo on.
func (p *Plan) vjps(ws *sweep.Workspace, values []float64, lo int) error {
	c := p.coloring.Rows()
	k := min(lanes, c.Num()-lo)
	if err := ws.VJP(k, func(w []float64, s int) { seed(w, c.Class(lo+s)) }); err != nil {
		return err
	}
	for s := range k {
		p.recovery.GatherRows(values, lo+s, ws.Product(s))
	}
	return nil
}

func seed(v []float64, class []int32) {
	for _, i := range class {
		v[i] = 1
	}
}
