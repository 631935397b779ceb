package hessian

import (
	"io"

	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/straight"
	"github.com/hesse-ad/hesse/reverse"
)

// WriteGo writes the plan as a file of Go that imports package math alone. Of the
// functions, GoSource.Functions, there are, nil being all,
//
//	GoGradient  NameGradient(dst, x, p, w)  sets dst = ∇f(x), f = Σ wⱼFⱼ, and returns f(x)
//	GoHessian   NameHessian(dst, x, p, w)   sets dst to the values of ∇²f(x)
//	GoAll       NameAll(dst, g, x, p, w)    does both and returns f(x)
//
// without p if there are no parameters, and without w if there is one output. The values
// are those of the matrix of Eval, in the pattern that is written as NameRowPtr and
// NameColIdx: row i has the columns NameColIdx[NameRowPtr[i]:NameRowPtr[i+1]].
//
// Each shape of term is a loop over its terms; a small function is straight lines. Places
// that go in even steps are arithmetic, others tables. What is colored is a product a
// color, by the straight lines that reverse.Tape.WriteGo writes. The functions allocate
// nothing and give the bits of Eval, EvalAll and ValueGradient, but for the sign of a 0
// that is colored; arguments must not overlap, and wrong lengths panic. If the function
// compares they return an error besides, as those of reverse.Tape.WriteGo. Where there are
// more than 16,384 numbers on the way, or what is colored has more than about a thousand
// lines, functions take as their last argument a *NameWork, the memory of one evaluation,
// new(NameWork) once a goroutine.
//
// Errors are as for that, and *reverse.NoSourceError, too, for terms so large that they are
// evaluated by sweeps: a Method that colors has source then.
func (s *Sparse) WriteGo(w io.Writer, settings reverse.GoSource) error {
	return inside.WriteGo(w, settings, func(f *source.File, settings straight.Settings, functions []straight.Function) error {
		return s.p.Write(f, settings, functions)
	})
}
