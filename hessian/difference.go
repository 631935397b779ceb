package hessian

import (
	"math"
	"runtime"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/bounds"
	"github.com/hesse-ad/hesse/internal/roundoff"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/reverse"
)

// A derivative is right if its mean over an interval is the difference quotient of
// the function,
//
//	(f(x + hv) − f(x − hv))/2h = ½ ∫ f′(x + shv)v ds,  s from −1 to 1,
//
// for every h: a large step loses nothing. The integral is by Gauss's rule with eight nodes;
// the last coefficients of the Legendre series of the derivative bound its error. Steps
// become smaller until this error is below the rounding errors of the quotient: there the
// test is sharpest. A derivative is wrong if it differs by more than both errors together,
// and by the same amount for all smaller steps at which rounding errors let it be seen: kinks
// and jumps near x, and oscillations that the nodes miss, do not differ by the same amount.
// Where rounding errors have no bound, or one that is larger than the derivative, nothing is said.

const (
	nodes      = 8
	firstStep  = 0x1p-5 // relative to max(1, |xᵢ|)
	lastStep   = 0x1p-45
	nextStep   = 0x1p-3
	sameDefect = 0.1 // how much a defect may change from step to step to count as the same

	// sharp is a relative difference below which rounding errors are not looked at.
	sharp = 0x1p-36
)

var (
	node, weight = make([]float64, nodes), make([]float64, nodes) // of Gauss's rule, Σ weight = 2
	legendre     [2][]float64                                     // weights of the last two coefficients
)

func init() {
	quad.Legendre{}.FixedLocations(node, weight, -1, 1)
	for i := range legendre {
		k := float64(nodes - 2 + i)
		legendre[i] = make([]float64, nodes)
		for j, s := range node {
			p, q := 1.0, s // Pⱼ and Pⱼ₊₁
			for l := 1.0; l <= k; l++ {
				p, q = q, ((2*l+1)*s*q-l*p)/(l+1)
			}
			legendre[i][j] = (2*k + 1) / 2 * weight[j] * p
		}
	}
}

// family is a kind of derivatives along v, which are compared with differences of a function.
type family int

const (
	jacobian family = iota // the JVP, with differences of the outputs
	gradient               // that of Σ wⱼFⱼ, with differences of Σ wⱼFⱼ
	hessian2               // the HVP, with differences of the gradient
	families
)

func (f family) order() int {
	if f == hessian2 {
		return 2
	}
	return 1
}

// sample is the derivatives of each family at a point of the line, and the
// gradient.
type sample struct {
	d [families][]float64
	g []float64
}

// line is a direction through x in which derivatives are compared.
type line struct {
	*checker
	t     *reverse.Tape
	x, v  []float64
	at    []float64
	mid   *sample
	noise *[families][]errorBounds // nil until needed
}

// errorBounds is bounds of the rounding errors of a function and of its derivative.
type errorBounds struct{ value, derivative float64 }

// row is the comparison of one element of a family at one step.
type row struct {
	defect float64 // the mean derivative minus the quotient
	size   float64 // the mean of the absolute derivatives
	value  float64 // the larger absolute value of what the quotient is of
	rule   float64 // a bound of the error of Gauss's rule
	noise  float64 // a bound of rounding errors
}

// bound is how large a defect may be if the derivative is right.
func (r *row) bound() float64 { return r.rule + r.noise }

// hidden reports whether the bound is no bound: larger than the derivative, and more than what
// a function that is right to six digits would have.
func (r *row) hidden(h float64) bool {
	return !(r.bound() <= r.size || r.bound()*h <= 1e-6*r.value)
}

// agrees reports whether the derivative is right to almost all digits.
func (r *row) agrees() bool { return math.Abs(r.defect) <= sharp*r.size && r.rule <= sharp*r.size }

// suspicious reports whether the defect is well beyond what it may be.
func (r *row) suspicious() bool { return math.Abs(r.defect) > 20*r.rule+4*r.noise }

// same reports whether q, at a smaller step, has the same defect. That of a jump in f would
// be larger in inverse proportion to the step.
func (r *row) same(q *row) bool {
	return q.suspicious() && math.Abs(r.defect-q.defect) <= sameDefect*math.Abs(q.defect)+(r.noise+q.noise)/4
}

// point sets l.at to x + s·v.
func (l *line) point(s float64) []float64 {
	for i, v := range l.v {
		l.at[i] = l.x[i] + s*v
	}
	return l.at
}

// values is F itself at x + s·v, on plain numbers; nil if a primitive fails.
func (l *line) values(s float64) (y []float64) {
	in := make([]reverse.Var, len(l.x))
	for i, x := range l.point(s) {
		in[i] = dual.Const[reverse.Var](x)
	}
	defer func() {
		r := recover()
		_, failed := r.(error) // of a primitive: reverse.Apply panics with it
		_, bug := r.(runtime.Error)
		switch {
		case failed && !bug:
			y = nil
		case r != nil:
			panic(r)
		}
	}()
	for _, v := range l.f(in) {
		y = append(y, v.Value())
	}
	return y
}

// sample is the derivatives at x + s·v; nil where the function has another branch or a
// primitive fails. If the function calls Value, so that its tape holds at one point only, it
// is recorded again.
func (l *line) sample(s float64) *sample {
	at := l.point(s)
	z := new(sample)
	t := l.t
	eval := func() error {
		return t.Inside().Sweep(at, func(p *sweep.Engine, ws *sweep.Workspace) error {
			seed := func(x []float64, _ int) { copy(x, l.v) }
			if err := ws.Linearize(l.w); err != nil {
				return err
			}
			z.g = append([]float64(nil), ws.Adjoints()[:len(at)]...)
			z.d[gradient] = []float64{floats.Dot(z.g, l.v)}
			if err := ws.HVP(1, seed); err != nil {
				return err
			}
			z.d[hessian2] = append([]float64(nil), ws.Product(0)[:len(at)]...)
			if err := ws.JVP(1, seed); err != nil {
				return err
			}
			for j := range l.w {
				z.d[jacobian] = append(z.d[jacobian], ws.OutputTangent(0, j))
			}
			return nil
		})
	}
	err := eval()
	if branch, ok := err.(*reverse.BranchError); ok && branch.Op == tape.ValueRead.String() {
		if t, err = reverse.RecordVec(l.f, at); err == nil && t.Outputs() == len(l.w) {
			err = eval()
		}
	}
	if err != nil {
		return nil
	}
	return z
}

// rows compares all rows of all families by the step h; nil where the function is
// not defined as at x.
func (l *line) rows(h float64) *[families][]row {
	low, high := l.sample(-h), l.sample(h)
	if low == nil || high == nil {
		return nil
	}
	lowY, highY := l.values(-h), l.values(h)
	if len(lowY) != len(l.w) || len(highY) != len(l.w) {
		return nil
	}
	var at [nodes]*sample
	for k, s := range node {
		if at[k] = l.sample(h * s); at[k] == nil {
			return nil
		}
	}
	ends := [families][2][]float64{
		jacobian: {lowY, highY},
		gradient: {{floats.Dot(l.w, lowY)}, {floats.Dot(l.w, highY)}},
		hessian2: {low.g, high.g},
	}
	all := new([families][]row)
	for f := range families {
		all[f] = make([]row, len(l.mid.d[f]))
		for i := range all[f] {
			r := &all[f][i]
			var last [2]float64
			low, high := ends[f][0][i], ends[f][1][i]
			quotient := (high - low) / (2 * h)
			r.value = max(math.Abs(low), math.Abs(high))
			for k, z := range at {
				d := z.d[f][i]
				r.defect += weight[k] / 2 * (d - quotient)
				r.size += weight[k] / 2 * math.Abs(d)
				last[0] += legendre[0][k] * d
				last[1] += legendre[1][k] * d
			}
			r.rule = 4 * max(math.Abs(last[0]), math.Abs(last[1]))
			if r.defect-r.defect != 0 {
				*r = row{rule: math.Inf(1)} // not finite
			}
		}
	}
	return all
}

// judge adds the rounding errors to a row of a family.
func (l *line) judge(r *row, f family, i int, h float64) {
	if l.noise == nil {
		l.findNoise()
	}
	b := l.noise[f][i]
	r.noise = 2*b.value/h + 4*b.derivative + 0x1p-48*r.size
	if r.noise != r.noise {
		r.noise = math.Inf(1)
	}
}

// findNoise bounds rounding errors at x. The points of the line are rounded, too, which counts
// as an error of x.
func (l *line) findNoise() {
	p := l.t.Inside().Engine()
	in := bounds.At(l.x, nil, l.v)
	for i := range in {
		in[i].V.E = roundoff.Arithmetic * (math.Abs(l.x[i]) + firstStep*math.Abs(l.v[i]))
	}
	b := bounds.Of(&p.Tape, in, l.w)
	noise := new([families][]errorBounds)
	var all errorBounds
	for j, y := range b.Outputs {
		noise[jacobian] = append(noise[jacobian], errorBounds{y.V.E, y.D.E})
		w := math.Abs(l.w[j])
		all.value += w*y.V.E + float64(len(b.Outputs))*roundoff.Arithmetic*w*math.Abs(y.V.V)
	}
	for i, g := range b.Inputs {
		noise[hessian2] = append(noise[hessian2], errorBounds{g.V.E, g.D.E})
		all.derivative += math.Abs(l.v[i]) * (g.V.E + float64(len(b.Inputs))*roundoff.Arithmetic*math.Abs(g.V.V))
	}
	noise[gradient] = []errorBounds{all}
	l.noise = noise
}

// verdict is what came out of a line.
type verdict struct {
	wrong   *DifferenceError
	judged  int               // rows that were
	rough   int               // rows whose derivative no step could tell from kinks or rounding
	hidden  [families][]int   // rows of which rounding errors hide all
	reached [families]float64 // the largest bound relative to a row, of those judged
}

// state is what is known of a row: a smaller step may see more until it is right.
type state int

const (
	open state = iota
	hidden
	right
)

// settle is what the step h shows of a row; wrong says that its derivative is not right.
func (l *line) settle(r *row, f family, i int, h float64) (s state, wrong *DifferenceError) {
	switch {
	case math.IsInf(r.rule, 1):
		return open, nil
	case r.agrees():
		return right, nil
	}
	l.judge(r, f, i, h)
	switch {
	case r.suspicious():
		return open, l.confirm(r, f, i, h)
	case math.Abs(r.defect) > r.bound() || r.rule > r.noise && r.rule > sharp*r.size:
		return open, nil
	case r.hidden(h):
		return hidden, nil
	}
	return right, nil
}

// compare judges each element of each family, at the largest step that settles it.
func (l *line) compare(scale float64) (v verdict) {
	if l.mid = l.sample(0); l.mid == nil {
		return v
	}
	var states [families][]state
	left := 0
	for f := range families {
		states[f] = make([]state, len(l.mid.d[f]))
		left += len(states[f])
	}
	seen := false
	for h := firstStep * scale; h >= lastStep*scale && left > 0; h *= nextStep {
		rows := l.rows(h)
		if rows == nil {
			continue
		}
		seen = true
		for f := range families {
			for i := range rows[f] {
				r, s := &rows[f][i], &states[f][i]
				if *s == right {
					continue
				}
				if *s, v.wrong = l.settle(r, f, i, h); v.wrong != nil {
					return v
				}
				if *s != right {
					continue
				}
				left--
				v.judged++
				if r.size > 0 {
					v.reached[f] = max(v.reached[f], min(1, max(math.Abs(r.defect), r.bound())/r.size))
				}
			}
		}
	}
	if v.wrong = l.atX(scale); v.wrong != nil || !seen {
		return v
	}
	for f := range families {
		for i, s := range states[f] {
			switch s {
			case open:
				v.rough++
			case hidden:
				v.hidden[f] = append(v.hidden[f], i)
			}
		}
	}
	return v
}

// confirm is the error of a defect, by the step that shows it most clearly; nil unless smaller
// steps show the same defect, to where rounding errors hide it. A step that crosses many jumps
// shows their mean slope, which two of about the same size have in common.
func (l *line) confirm(r *row, f family, i int, h float64) *DifferenceError {
	const least = 2 // steps that show the same
	best, smallest := r, h*lastStep
	for same := 0; h > smallest; same++ {
		if h *= 0.7; same >= least {
			h *= nextStep
		}
		rows := l.rows(h)
		if rows == nil || math.IsInf(rows[f][i].rule, 1) {
			return nil
		}
		q := &rows[f][i]
		l.judge(q, f, i, h)
		if same >= least && 8*q.noise > math.Abs(r.defect) {
			break // too small
		}
		if !r.same(q) {
			return nil
		}
		r = q
		if ratio := r.bound() / math.Abs(r.defect); ratio < 1e-7 || ratio < best.bound()/math.Abs(best.defect) {
			best = r // one that changes along the line is known better by small steps
		}
	}
	got := l.mid.d[f][i]
	e := &DifferenceError{Order: f.order(), Row: i, Got: got, Want: got - best.defect, Bound: best.bound()}
	if f == gradient {
		e.Row = -1
	}
	return e
}

// atX compares the derivative at x itself with those on both sides. At a kink it may be
// anything between them, but if both sides tend to one number it must be that.
func (l *line) atX(scale float64) *DifferenceError {
	const steps = 3
	var low, high [steps]*sample
	for k, h := range [steps]float64{0x1p-12, 0x1p-22, 0x1p-32} {
		low[k], high[k] = l.sample(-h*scale), l.sample(h*scale)
		if low[k] == nil || high[k] == nil {
			return nil
		}
	}
	for f := range families {
		for i, got := range l.mid.d[f] {
			wrong := true
			mean := [steps]float64{}
			bound := 0.0
			for k := 0; k < steps && wrong; k++ {
				a, b := low[k].d[f][i], high[k].d[f][i]
				if a-a != 0 || b-b != 0 {
					wrong = false
					break
				}
				mean[k] = a + (b-a)/2
				bound = 1.5*math.Abs(b-a) + sharp*max(math.Abs(a), math.Abs(b))
				wrong = math.Abs(got-mean[k]) > bound
			}
			if !wrong || math.Abs(mean[2]-mean[1]) > sameDefect*math.Abs(got-mean[2]) {
				continue
			}
			if l.noise == nil {
				l.findNoise()
			}
			if bound += 4 * l.noise[f][i].derivative; math.Abs(got-mean[2]) > bound {
				e := &DifferenceError{Order: f.order(), Row: i, Got: got, Want: mean[2], Bound: bound}
				if f == gradient {
					e.Row = -1
				}
				return e
			}
		}
	}
	return nil
}
