package reverse

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/hesse-ad/hesse/internal/gosource"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/tape"
)

// GoSource says how derivatives are written as Go. Its zero value is a package
// derivatives with functions FValue, FGradient and so on.
type GoSource struct {
	// Package is the name of the package; "" is derivatives.
	Package string
	// Name begins all that is declared, as in EnergyGradient; "" is F. It must be an
	// identifier. What is not exported begins with hesse and Name.
	Name string
	// Functions are those that are written. For Tape.WriteGo nil means Value, Gradient and
	// HVP of a function with one output, Value, Jacobian, JVP, VJP and HVP of others.
	Functions []GoFunction
	// Inputs and Params name the variables; nil is x0, x1, … and p0, p1, ….
	Inputs, Params []string
	// Lines adds a comment to each operation, where it stands in the source of the function,
	// if the tape was recorded with Recorder.Lines.
	Lines bool
	// Primitives maps the name of a primitive to its functions in Go. It is an error if a
	// variable of the generated code has the name of such a function.
	Primitives map[string]GoPrimitive
}

// GoFunction is a function that is written as Go.
type GoFunction uint8

// The functions, of F: ℝⁿ → ℝᵐ with parameters p, if there are any. dst comes first and
// must have the right length; it may be another argument.
const (
	GoValue    = GoFunction(gosource.Value)    // f(x, p), if m = 1, or (dst, x, p): F(x)
	GoGradient = GoFunction(gosource.Gradient) // (dst, x, p): ∇f(x); it returns f(x). An error if m > 1
	GoJacobian = GoFunction(gosource.Jacobian) // (dst, x, p): F′(x), row by row
	GoJVP      = GoFunction(gosource.JVP)      // (dst, x, p, v): F′(x)v
	GoVJP      = GoFunction(gosource.VJP)      // (dst, x, p, w): F′(x)ᵀw
	GoHVP      = GoFunction(gosource.HVP)      // (dst, x, p, v, w): (Σ wⱼ∇²Fⱼ(x))v, without w if m = 1
	GoHessian  = GoFunction(gosource.Hessian)  // of hessian.Sparse alone
	GoAll      = GoFunction(gosource.All)      // of sparse plans alone: the matrix with what is computed on the way
)

func (f GoFunction) String() string {
	if f > GoAll {
		return fmt.Sprintf("GoFunction(%d)", uint8(f))
	}
	return gosource.Function(f).String()
}

// GoPrimitive is a primitive that is there in Go: functions of the package of the given
// path, or of the package that is written if Path is "".
type GoPrimitive struct {
	Path string
	// F is f. Of a Primitive it is a func(float64) float64, as its derivatives DF and DDF.
	F, DF, DDF string
	// Of a VecPrimitive F is a func(y, x []float64) as its method Eval, and these are as
	// the methods of their names, all without an error: what may fail sets NaN. Those that
	// no written function needs may be "".
	JVP, VJP, HVP string
}

// NoSourceError says that an operation cannot be written as Go.
type NoSourceError struct {
	Op   string // what it is called
	File string // where it stands, if recorded with Recorder.Lines
	Line int
}

func (e *NoSourceError) Error() string {
	s := "reverse: no Go source of " + e.Op
	if e.File != "" {
		s += fmt.Sprintf(" at %s:%d", e.File, e.Line)
	}
	return s
}

// WriteGo writes the function and its derivatives as a file of Go. It imports only package
// math, the packages of primitives and, for incomplete gamma and beta functions, sync.
//
// Values have the bits of the methods of t. Derivatives agree with these up to rounding; where
// what a method computes on the way overflows, those of the functions may still be finite, not
// the other way. The functions allocate nothing, except for an error
// and in derivatives of incomplete gamma and beta functions. Wrong lengths panic. If the
// tape has comparisons, the functions also return an error, of type NameBranchError, which
// is not nil where one comes out otherwise than recorded or, in a step of a Scan, in none
// of the recorded ways.
//
// A function of up to a thousand lines is written as straight lines. A longer one is loops
// over alike operations, and functions of some hundred lines for the others. It takes a last
// argument, a *NameWork, the memory of one evaluation: each goroutine needs a new(NameWork)
// of its own. Loops compile in no time, whatever their length: the gradient of a
// Rosenbrock function of a million operations takes 0.1 s. Operations that are not in loops
// take 0.3 ms each to compile for a gradient, whether there are 12,000 or 38,000 of them,
// and 0.9 ms for value, gradient and product with the Hessian. For sums of alike terms
// hessian.Sparse.WriteGo writes shorter and faster code.
//
// A sum by Repeat is written as a loop over its terms, a Scan as a loop over its steps that
// keeps all states, whatever its Checkpoints, and with While the states of as many steps as
// there may be. Functions of a tape that has one take a *NameWork, too.
//
// It panics if Functions has an element that is no GoFunction. On an error nothing is
// written. It is an error if a name is no identifier, a keyword, or there twice, and a
// *NoSourceError if the tape has
//
//   - a primitive without a name in Primitives;
//   - a function of package dual/matrix, whose bits are those of gonum's BLAS and LAPACK;
//   - a Repeat with a term that is too long for symbolic derivatives;
//   - a Scan with no bound for the number of steps, or with a step that has more than
//     2,000 operations or calls a function: a primitive, or a loop that is not written out there
//     as those of at most 500 operations without comparisons are;
//   - more than a million operations that are not in loops.
func (t *Tape) WriteGo(w io.Writer, s GoSource) error {
	if s.Functions == nil {
		s.Functions = []GoFunction{GoValue, GoJacobian, GoJVP, GoVJP, GoHVP}
		if t.Outputs() == 1 {
			s.Functions = []GoFunction{GoValue, GoGradient, GoHVP}
		}
	}
	return writeGo(w, s, func(f *source.File, settings gosource.Settings, functions []gosource.Function) error {
		_, err := gosource.Write(f, &t.engine().Program, settings, functions)
		return err
	})
}

// writeGo writes what write prints.
func writeGo(w io.Writer, s GoSource, write func(f *source.File, s gosource.Settings, functions []gosource.Function) error) error {
	if s.Package == "" {
		s.Package = "derivatives"
	}
	if s.Name == "" {
		s.Name = "F"
	}
	f, err := source.New(s.Package, s.Name)
	if err != nil {
		return fmt.Errorf("reverse: %w", err)
	}
	settings := gosource.Settings{
		Inputs: s.Inputs, Params: s.Params,
		Primitive: func(p *tape.Scalar1) ([3]string, error) { return s.primitive(f, p) },
		Vector:    func(name string) (*gosource.Vector, error) { return s.vector(f, name) },
	}
	if s.Lines {
		settings.Position = func(pc uintptr) string {
			file, line := position(pc)
			if file == "" {
				return ""
			}
			return fmt.Sprintf("%s:%d", filepath.Base(file), line)
		}
	}
	var functions []gosource.Function // nil if those are
	for _, f := range s.Functions {
		if f > GoAll {
			panic(fmt.Sprintf("reverse: no GoFunction has the number %d", f))
		}
		functions = append(functions, gosource.Function(f))
	}
	if err := write(f, settings, functions); err != nil {
		return noSource(err)
	}
	text, err := f.Bytes()
	if err != nil {
		return fmt.Errorf("reverse: %w", err)
	}
	_, err = w.Write(text)
	return err
}

// primitive is what a primitive is called in f.
func (s *GoSource) primitive(f *source.File, p *tape.Scalar1) (names [3]string, err error) {
	g, ok := s.Primitives[p.Name]
	if !ok {
		return names, &gosource.Unsupported{Op: "the primitive " + p.Name + ", which has no name in GoSource.Primitives"}
	}
	list, err := g.names(f, p.Name, false, g.F, g.DF, g.DDF)
	copy(names[:], list)
	return names, err
}

// vector is what a primitive of vectors is called in f, nil if it has no names.
func (s *GoSource) vector(f *source.File, primitive string) (*gosource.Vector, error) {
	g, ok := s.Primitives[primitive]
	if !ok {
		return nil, nil
	}
	list, err := g.names(f, primitive, true, g.F, g.JVP, g.VJP, g.HVP)
	if err != nil {
		return nil, err
	}
	return &gosource.Vector{F: list[0], JVP: list[1], VJP: list[2], HVP: list[3]}, nil
}

// names are those of functions of a primitive in f.
func (g *GoPrimitive) names(f *source.File, primitive string, isVector bool, names ...string) ([]string, error) {
	from := ""
	if g.Path != "" {
		name, err := f.Import(g.Path)
		if err != nil {
			return nil, err
		}
		from = name + "."
	}
	for k, name := range names {
		if name == "" && isVector && k > 0 { // it may not be needed
			continue
		}
		if err := source.CheckName(name); err != nil {
			return nil, fmt.Errorf("primitive %s: %w", primitive, err)
		}
		if names[k] = from + name; from == "" {
			f.Calls(name)
		}
	}
	return names, nil
}

// noSource is err as users see it.
func noSource(err error) error {
	if u, ok := err.(*gosource.Unsupported); ok {
		e := &NoSourceError{Op: u.Op}
		e.File, e.Line = position(u.PC)
		return e
	}
	return fmt.Errorf("reverse: %w", err)
}
