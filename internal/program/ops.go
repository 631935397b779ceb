package program

import "github.com/hesse-ad/hesse/internal/op"

// Op is an elementary operation, a row of the table of package op.
type Op = op.Code

const (
	noConstant = op.NoConstant
	mixed      = Op(op.Count) // a batch of nodes of different operations
)
