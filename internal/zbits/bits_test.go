package zbits_test

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

func TestBits(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("BITS_N"))
	from, _ := strconv.Atoi(os.Getenv("BITS_FROM"))
	f, err := os.Create(os.Getenv("BITS_OUT"))
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(f)
	defer f.Close()
	defer out.Flush()
	for seed := from; seed < from+n; seed++ {
		o := randprog.Options{MaxInputs: 5, MaxOutputs: 3, MaxLen: 10 + seed%40, Branches: true, Primitives: true}
		p := rapid.Custom(func(t *rapid.T) *randprog.Prog { return randprog.Draw(t, o) }).Example(seed)
		fmt.Fprintln(out, seed, one(p), wide(p, seed))
	}
}

type sum struct {
	h interface {
		Write([]byte) (int, error)
		Sum64() uint64
	}
}

func (s sum) add(v ...float64) {
	for _, v := range v {
		b := math.Float64bits(v)
		if v != v {
			b = 1
		}
		fmt.Fprintf(s.h, "%x,", b)
	}
}
func (s sum) ints(v ...int) { fmt.Fprint(s.h, v) }
func (s sum) err(e error) {
	fmt.Fprint(s.h, e != nil)
}

func evaluate(s sum, tape *reverse.Tape, x, u, w []float64, dense bool) {
	y, err := tape.Values(nil, x)
	s.add(y...)
	s.err(err)
	g, err := tape.VJP(nil, x, w)
	s.add(g...)
	s.err(err)
	d, err := tape.JVP(nil, x, u)
	s.add(d...)
	s.err(err)
	h, err := tape.HVP(nil, x, u, w...)
	s.add(h...)
	s.err(err)
	if len(w) == 1 {
		k := 3
		v := mat.NewDense(len(x), k, nil)
		for i := range x {
			for j := range k {
				v.Set(i, j, float64((i*7+j*3)%5)-1.5)
			}
		}
		r, err := tape.HVPs(nil, x, v)
		s.err(err)
		if err == nil {
			s.add(r.RawMatrix().Data...)
		}
	}
	if dense {
		for _, st := range hessian.Strategies {
			h, err := hessian.New(tape, st).Dense(nil, x, w...)
			s.err(err)
			if err == nil {
				for i := range x {
					for j := range i + 1 {
						s.add(h.At(i, j))
					}
				}
			}
		}
	}
	for _, m := range []hessian.Method{hessian.ByTerms, hessian.ByStar, hessian.ByAcyclic} {
		for workers := range 2 {
			plan, err := hessian.SparseSettings{Method: m, Workers: workers + 1}.New(tape)
			s.err(err)
			if err != nil {
				continue
			}
			a, g := plan.Matrix(), make([]float64, len(x))
			f, err := plan.EvalAll(a, g, x, w...)
			s.err(err)
			s.add(f)
			s.add(g...)
			_, _, _, val := raw(a)
			s.add(val...)
		}
	}
	for _, m := range []reverse.Method{reverse.ByTerms, reverse.ByColumns, reverse.ByRows, reverse.ByBoth} {
		plan, err := reverse.SparseSettings{Method: m}.New(tape)
		s.err(err)
		if err != nil {
			continue
		}
		a, y := plan.Matrix(), make([]float64, len(w))
		err = plan.EvalAll(a, y, x)
		s.err(err)
		s.add(y...)
		_, _, _, val := raw(a)
		s.add(val...)
	}
}

func raw(m interface {
	Raw() (r, c int, ia, ja []int, data []float64)
}) (int, int, []int, []float64) {
	r, c, _, ja, data := m.Raw()
	return r, c, ja, data
}

func one(p *randprog.Prog) string {
	s := sum{fnv.New64a()}
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return randprog.Run(p, x, randprog.Vars) }, p.X)
	s.err(err)
	if err != nil {
		return "error"
	}
	w := make([]float64, p.Outputs)
	for j := range w {
		w[j] = 1 - float64(j)/3
	}
	evaluate(s, tape, p.X, p.U, w, true)
	return fmt.Sprintf("%016x", s.h.Sum64())
}

// wide is a sum of alike terms over windows of variables that overlap.
func wide(p *randprog.Prog, seed int) string {
	s := sum{fnv.New64a()}
	terms := 3 + seed%5*41
	x := make([]float64, terms+p.Inputs)
	u := make([]float64, len(x))
	for i := range x {
		x[i] = p.X[i%p.Inputs]
		u[i] = p.U[i%p.Inputs]
	}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		var r reverse.Var
		for k := range terms {
			z := make([]reverse.Var, p.Inputs)
			for i := range z {
				z[i] = x[(k/p.Inputs)*p.Inputs+i]
				if seed%2 == 0 {
					z[i] = x[k/p.Inputs*p.Inputs+i].AddReal(0)
				}
			}
			if seed%3 != 0 && p.Inputs > 1 {
				z[p.Inputs-1] = x[p.Inputs-1]
			}
			y := randprog.Run(p, z, randprog.Vars)
			t := y[0].Scale(1 + float64(k%7)/8)
			if seed%4 == 1 && len(y) > 1 {
				t = t.Mul(y[1])
			}
			if k == 0 {
				r = t
			} else {
				r = r.Add(t)
			}
		}
		return r
	}, x)
	s.err(err)
	if err != nil {
		return "error"
	}
	evaluate(s, tape, x, u, []float64{0.75}, false)
	return fmt.Sprintf("%016x", s.h.Sum64())
}
