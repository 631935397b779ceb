package tape

import "math"

// GuardKind is the kind of a comparison.
type GuardKind uint8

// The comparisons that a recording depends on.
const (
	Less       GuardKind = iota // a < b
	LessEq                      // a ≤ b
	LessReal                    // a < c
	LessEqReal                  // a ≤ c
	GreaterReal
	GreaterEqReal
	ValueRead // a is c
)

func (k GuardKind) String() string {
	return [...]string{"Less", "LessEq", "Less", "LessEq", "Less", "LessEq", "Value"}[k]
}

// Guard is a comparison made while recording, and how it came out.
type Guard struct {
	Kind    GuardKind
	Outcome bool
	A, B    int32
	C       float64
	PC      uintptr // who asked, if wanted
}

// Guard appends a guard, and returns how the comparison is to come out.
func (r *Recording) Guard(g Guard) bool {
	if r.closed {
		panic("reverse: Var used after its recording")
	}
	if r.caller != nil {
		g.PC = r.caller()
	}
	if len(r.guards)+1 == r.Turn {
		g.Outcome = !g.Outcome
	}
	r.guards = append(r.guards, g)
	return g.Outcome
}

// Made notes who made the comparisons of the recording, those of t again, how they
// come out in t and the numbers that were read, unless some are between constants here.
func (r *Recording) Made(t *Tape) {
	if len(r.guards) != len(t.guards) {
		return
	}
	for k := range r.guards {
		g, of := &r.guards[k], &t.guards[k]
		g.PC, g.Outcome, g.C = of.PC, of.Outcome, of.C
	}
}

// Compares reports whether it is two nodes that are compared.
func (g *Guard) Compares() bool { return g.Kind == Less || g.Kind == LessEq }

// Holds reports whether the comparison comes out as recorded.
func (g *Guard) Holds(v []float64) bool {
	a := v[g.A]
	switch g.Kind {
	case Less:
		return (a < v[g.B]) == g.Outcome
	case LessEq:
		return (a <= v[g.B]) == g.Outcome
	case LessReal:
		return (a < g.C) == g.Outcome
	case LessEqReal:
		return (a <= g.C) == g.Outcome
	case GreaterReal:
		return (g.C < a) == g.Outcome
	case GreaterEqReal:
		return (g.C <= a) == g.Outcome
	default:
		return math.Float64bits(a) == math.Float64bits(g.C) || a != a && g.C != g.C
	}
}

// Error is the error that the comparison came out otherwise; v is the values of all nodes.
func (g *Guard) Error(v []float64) *BranchError {
	e := &BranchError{Guard: g, X: v[g.A], Y: g.C}
	switch g.Kind {
	case Less, LessEq:
		e.Y = v[g.B]
	case GreaterReal, GreaterEqReal:
		e.X, e.Y = e.Y, e.X
	}
	return e
}

// BranchError says that a comparison of X and Y came out otherwise than recorded,
// and in which steps of loops, the outermost first.
type BranchError struct {
	Guard *Guard
	X, Y  float64
	Steps []int
}

func (e *BranchError) Error() string { return "reverse: a comparison came out otherwise than recorded" }

// In is the same error as one in step k of a loop.
func (e *BranchError) In(k int) *BranchError {
	e.Steps = append([]int{k}, e.Steps...)
	return e
}
