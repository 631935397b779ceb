package terms_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/reverse"
)

// programs are of all sorts: terms of one shape, of several, of several
// outputs, and a small program.
func programs(t *testing.T) (ps []*sweep.Engine, xs [][]float64) {
	add := func(tape *reverse.Tape, err error, x []float64) {
		require.NoError(t, err)
		ps, xs = append(ps, tape.Inside().Engine()), append(xs, x)
	}
	for _, p := range problems.All {
		switch p.Name {
		case "rnn", "helmholtz":
			continue
		}
		in := p.At(900)
		if f := problems.Func[reverse.Var](in); f != nil {
			tape, err := reverse.Record(f, in.X0)
			add(tape, err, in.X0)
		} else {
			tape, err := reverse.RecordVec(problems.VecFunc[reverse.Var](in), in.X0)
			add(tape, err, in.X0)
		}
	}
	for _, c := range classics {
		tape, err := reverse.RecordVec(c.f, c.x)
		add(tape, err, c.x)
	}
	return ps, xs
}

// evaluations are one of each kind, into memory of their own.
func evaluations(p *sweep.Engine, x []float64) []func() []float64 {
	pl := terms.Detect(p.Function(), true)
	n, m := p.Inputs(), p.Outputs()
	w := make([]float64, m)
	for j := range w {
		w[j] = 0.5 + float64(j%3)
	}
	y, g := make([]float64, m), make([]float64, n)
	J, H := pl.Jacobian(nil), pl.Hessian(nil)
	jv, hv := make([]float64, J.Pattern().NNZ()), make([]float64, H.Pattern().NNZ())
	var v, prod, dy [][]float64
	for k := range 5 {
		d := make([]float64, n)
		for i := range d {
			d[i] = float64((i + k) % 4)
		}
		v, prod, dy = append(v, d), append(prod, make([]float64, n)), append(dy, make([]float64, m))
	}
	return []func() []float64{
		func() []float64 { pl.Value(y, x, nil); return y },
		func() []float64 { pl.Gradient(y, g, x, nil, nil); return g },
		func() []float64 { pl.Gradient(nil, g, x, nil, w); return g },
		func() []float64 { pl.JVPs(nil, dy, x, nil, v); return dy[4] },
		func() []float64 { pl.HVPs(prod, x, nil, w, v); return prod[4] },
		func() []float64 { J.Eval(jv, y, x, nil); return jv },
		func() []float64 { H.Eval(hv, y, g, x, nil, nil); return hv },
		func() []float64 { H.Eval(hv, nil, g, x, nil, w); return hv },
		func() []float64 { H.Eval(hv, nil, nil, x, nil, w); return hv },
	}
}

func TestEvaluationsAreConcurrentAndDeterministic(t *testing.T) {
	ps, xs := programs(t)
	for k, p := range ps {
		pl := terms.Detect(p.Function(), true)
		n := p.Inputs()
		H := pl.Hessian(nil)
		g, h := make([]float64, n), make([]float64, H.Pattern().NNZ())
		H.Eval(h, nil, g, xs[k], nil, nil)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for range 3 {
					g2, h2 := make([]float64, n), make([]float64, len(h))
					pl.Gradient(nil, g2, xs[k], nil, nil)
					if !equal(g, g2) {
						t.Errorf("program %d: other gradient", k)
					}
					H.Eval(h2, nil, g2, xs[k], nil, nil)
					if !equal(h, h2) || !equal(g, g2) {
						t.Errorf("program %d: other bits", k)
					}
					clear(h2)
					H.Eval(h2, nil, nil, xs[k], nil, nil)
					if !equal(h, h2) {
						t.Errorf("program %d: other bits without the gradient", k)
					}
				}
			})
		}
		group.Wait()
	}
}

func equal(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}
