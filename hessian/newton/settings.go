package newton

import (
	"cmp"
	"io"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// Settings are those that all methods have. The zero value is a good one.
type Settings struct {
	// Tolerance is that of the test for a solution, which each method states; 0
	// means its default.
	Tolerance float64

	// MaxIterations is the largest number of steps; 0 means the method's default.
	MaxIterations int

	// Log, if not nil, gets a line for each iteration and a head now and then.
	Log io.Writer

	// Each, if not nil, is called at the start and after each iteration, also where the
	// step was not taken, but not after one that ends the method there.
	Each func(*Iteration)

	// Plans, if not nil, keeps what is prepared for the next run with the same function, as in a
	// control loop.
	Plans *Plans

	// Hessian and Jacobian say how these are computed.
	Hessian  hessian.SparseSettings
	Jacobian reverse.SparseSettings
}

// orDefault are the settings with the defaults of a method.
func (o Settings) orDefault(tolerance float64, iterations int) Settings {
	o.Tolerance, o.MaxIterations = cmp.Or(o.Tolerance, tolerance), cmp.Or(o.MaxIterations, iterations)
	return o
}

// Iteration is what Settings.Each is told. What has no meaning for a method is 0.
type Iteration struct {
	// Number counts steps from 0, the start.
	Number int

	// X is the point, which is not to be changed and changes after the call, and
	// F the value there.
	X []float64
	F float64

	// Errors are those of the problem as it is scaled.
	Errors

	// Mu is the barrier parameter, Step the largest change of a variable by a full
	// step, Shift what was added to the diagonal of the Hessian.
	Mu, Step, Shift float64

	// Alpha and DualAlpha are the fractions of the step that x and the multipliers
	// took, after Trials points were tried.
	Alpha, DualAlpha float64
	Trials           int

	// Radius is that of the trust region.
	Radius float64

	// Restoration says that the step is one of the restoration of feasibility.
	Restoration bool
}
