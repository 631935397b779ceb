package hessian

import (
	"io"

	"github.com/hesse-ad/hesse/internal/gosource"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/reverse"
)

// WriteGo writes the plan as a file of Go that imports only package math. GoSource.Functions
// may be these, nil being all of them:
//
//	GoGradient  NameGradient(dst, x, p, w)  sets dst = ∇f(x), f = Σ wⱼFⱼ, and returns f(x)
//	GoHessian   NameHessian(dst, x, p, w)   sets dst to the values of ∇²f(x)
//	GoAll       NameAll(dst, g, x, p, w)    does both and returns f(x)
//
// without p if there are no parameters, and without w if there is one output. The values
// are those of the matrix of Eval, in the pattern that is written as NameRowPtr and
// NameColIdx: row i has the columns NameColIdx[NameRowPtr[i]:NameRowPtr[i+1]].
//
// By terms, each shape of term is written as a loop over its terms, with places in arrays
// computed where their differences are equal, and in tables otherwise; a small function is
// straight lines. By a coloring, it is a loop over the colors with the code of
// reverse.Tape.WriteGo for a product.
//
// Values have the bits of Eval, EvalAll and ValueGradient; derivatives agree with them up to
// rounding, and by terms have their bits, unless the sum of all results overflows. The functions
// allocate nothing. Arguments must not overlap, and wrong lengths panic.
// If the tape has comparisons, the functions also return an error, as those of
// reverse.Tape.WriteGo do. If an evaluation takes arrays of more than 16,384 numbers, or
// sweeps of more than about a thousand lines, the functions take a last argument, a
// *NameWork, the memory of one evaluation: each goroutine needs a new(NameWork) of its own.
//
// Errors are those of reverse.Tape.WriteGo. One more *reverse.NoSourceError is for terms so
// large that they are evaluated by sweeps; a Method by a coloring can be written then.
func (s *Sparse) WriteGo(w io.Writer, settings reverse.GoSource) error {
	return inside.WriteGo(w, settings, func(f *source.File, settings gosource.Settings, functions []gosource.Function) error {
		return s.p.Write(f, settings, functions)
	})
}
