package reverse

import (
	"fmt"
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/internal/terms"
)

// Repeat returns a sum of alike terms as one operation of the tape,
//
//	Σ term(x[index[0][t]], x[index[1][t]], …; params[0][t], params[1][t], …)
//
// over t: the lists, one for each variable and each parameter of the term, have the number of
// terms as their length, and are copied. A list of one number is that of all terms, such as
// []int{3} of a variable that they share. The variables may be any Vars of a recording, inputs
// or results; a term may have the same one several times.
//
// The term is called once, with Vars of its own: it must do the same for all t, and other
// Vars that it needs must come in through x. If it makes comparisons, or calls a
// VecPrimitive, which may fail, it is called for each t instead and written out on the tape:
// each term may then branch as it will, with guards of its own. Within the term, a Repeat is
// written out, and so is a Scan of at most 500 operations; a longer Scan is one operation of
// the term, if its steps make no comparisons.
//
// Derivatives are symbolic, found once for all terms. Where these would be too large, they
// come from sweeps over each term, as over a tape of its own: all of them for terms of more
// than 130,000 operations or with a Scan; Hessians for terms of more than some 300 variables
// that are all coupled, or whose variables coincide in more than 16 ways. Explain of a plan
// says so.
//
// The sum is added up in blocks of terms, so that it differs from that of a loop by
// rounding. Repeat panics if term is nil, if there are no lists or lists of different
// lengths, and if an index is out of the range of x. Cost: a few evaluations of the sum; at
// most 4 bytes for each index of a term, nothing if indices have equal differences from term
// to term, and 8 bytes for each parameter.
func Repeat(term func(x, p []Var) Var, x []Var, index [][]int, params [][]float64) Var {
	if term == nil {
		panic("reverse: nil function")
	}
	one := func(x, p []Var) []Var { return []Var{term(x, p)} }
	s := repetition{m: 1, term: one, x: x, vars: index, params: params}
	return s.record()[0]
}

// RepeatVec is Repeat for terms with several results, each added to one of m
// outputs:
//
//	y[rows[j][t]] += termⱼ(x[index[0][t]], …; params[0][t], …),
//
// with a list of rows for each result j, which may have one number for all terms, too. An output that no row names is 0. It
// panics as Repeat does, if a row is not below m, and if the term has another
// number of results.
func RepeatVec(term func(x, p []Var) []Var, x []Var, index [][]int, params [][]float64, m int, rows [][]int) []Var {
	if term == nil {
		panic("reverse: nil function")
	}
	s := repetition{m: m, term: term, x: x, vars: index, rows: append([][]int{}, rows...), params: params}
	return s.record()
}

// repetition is the arguments of RepeatVec; rows nil are one list of zeros.
type repetition struct {
	m          int
	term       func(x, p []Var) []Var
	x          []Var
	count      int
	vars, rows [][]int
	params     [][]float64
}

// record records the repetition as one operation, if that is possible.
func (s *repetition) record() []Var {
	s.check()
	x := s.x
	if s.count == 0 || s.m == 0 {
		return make([]Var, s.m)
	}
	if slices.ContainsFunc(x, func(x Var) bool { return x.r != nil && x.r.Traced() }) {
		return s.writtenOut() // so that Trace names the operation in the term
	}
	local, p := make([]float64, len(s.vars)), make([]float64, len(s.params))
	for a, list := range s.vars {
		local[a] = x[list[0]].v
	}
	for k, list := range s.params {
		p[k] = list[0]
	}
	r := tape.NewRecording(len(local), len(p))
	defer r.Close()
	r.Term = true
	in := inputs(r, local, p)
	y := s.term(in[:len(local):len(local)], in[len(local):])
	s.results(y)
	t, err := finish(r, local, p, y)
	if err != nil || !t.Inside().Tape().Certain() {
		return s.writtenOut()
	}
	return callFunc(terms.NewRepeat(t.engine(), len(x), s.m, s.count, s.vars, s.rows, s.params), x)
}

// check checks the lists.
func (s *repetition) check() {
	if len(s.vars)+len(s.params) == 0 {
		panic("reverse: Repeat without lists")
	}
	s.count = 1 // the first length that is another
	count := func(n int) {
		if s.count == 1 {
			s.count = n
		}
	}
	for _, list := range slices.Concat(s.vars, s.rows) {
		count(len(list))
	}
	for _, list := range s.params {
		count(len(list))
	}
	length := func(what string, k, n int) {
		if n != s.count && n != 1 {
			panic(fmt.Sprintf("reverse: Repeat with %s[%d] of length %d, want %d", what, k, n, s.count))
		}
	}
	lists := func(what string, lists [][]int, n int) {
		for k, list := range lists {
			length(what, k, len(list))
			for t, i := range list {
				if uint(i) >= uint(n) {
					panic(fmt.Sprintf("reverse: Repeat with %s[%d][%d] = %d, want one below %d", what, k, t, i, n))
				}
			}
		}
	}
	lists("index", s.vars, len(s.x))
	for k, list := range s.params {
		length("params", k, len(list))
	}
	lists("rows", s.rows, s.m)
	if s.count > math.MaxInt32 {
		panic("reverse: Repeat with more than 2³¹ terms")
	}
}

// results checks what the term returns.
func (s *repetition) results(y []Var) {
	want := len(s.rows)
	if s.rows == nil {
		want = 1
	}
	if len(y) != want {
		panic(fmt.Sprintf("reverse: term with %d results, want %d", len(y), want))
	}
}

// writtenOut records the function term by term.
func (s *repetition) writtenOut() []Var {
	parts := make([][]Var, s.m)
	for t := range s.count {
		local, p := make([]Var, len(s.vars)), make([]Var, len(s.params))
		for a, list := range s.vars {
			local[a] = s.x[ofTerm(list, t)]
		}
		for k, list := range s.params {
			p[k] = Var{v: ofTerm(list, t)}
		}
		y := s.term(local, p)
		s.results(y)
		for j, y := range y {
			i := 0
			if s.rows != nil {
				i = ofTerm(s.rows[j], t)
			}
			parts[i] = append(parts[i], y)
		}
	}
	return sums(parts)
}

// ofTerm is the number of term t in a list.
func ofTerm[T any](list []T, t int) T {
	if len(list) == 1 {
		return list[0]
	}
	return list[t]
}

// sums is the sum of each of parts.
func sums(parts [][]Var) []Var {
	y := make([]Var, len(parts))
	for i, z := range parts {
		y[i] = Var{}.SumOf(z)
	}
	return y
}

// writeOut records f at x term by term.
func writeOut(f *terms.Repeat, x []Var) []Var {
	_, m := f.Dims()
	parts := make([][]Var, m)
	term := f.Term()
	f.Each(func(vars, rows []int32, params []float64) {
		local := make([]Var, 0, len(vars)+len(params))
		for _, i := range vars {
			local = append(local, x[i])
		}
		for _, p := range params {
			local = append(local, Var{v: p})
		}
		v := tape.Replay(term, local, values{})
		for j, i := range rows {
			parts[i] = append(parts[i], v[term.Output(j)])
		}
	})
	return sums(parts)
}

// tangentOf is the function [x; ẋ] ↦ [y; ẏ] of f.
func tangentOf(f *terms.Repeat) *terms.Repeat {
	return f.Tangent(tapeOf(f.Engine()).Tangent().engine())
}

// adjointOf is the function [x; ȳ] ↦ x̄ of f.
func adjointOf(f *terms.Repeat) *terms.Repeat {
	return f.Adjoint(tapeOf(f.Engine()).Adjoint().engine())
}

// tapeOf is the tape of a program. At which point it was recorded does not matter to transforms,
// which take the outcomes of comparisons from it.
func tapeOf(p *sweep.Engine) *Tape {
	return newTape(p.Function(), make([]float64, p.Inputs()), make([]float64, p.Params()))
}

// copies is the program of n copies of p.
func copies(p *sweep.Engine, n int) *sweep.Engine {
	inputs, params := p.Inputs(), p.Params()
	return tapeOf(p).derived(make([]float64, n*inputs), make([]float64, n*params), func(in []Var) (y []Var) {
		for k := range n {
			args := append(in[k*inputs:][:inputs:inputs], in[n*inputs+k*params:][:params]...)
			v := tape.Replay(&p.Tape, args, values{})
			for j := range p.Outputs() {
				y = append(y, v[p.Output(j)])
			}
		}
		return y
	}).engine()
}
