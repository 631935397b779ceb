package activity

import (
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever reads a new Go needs a row for each of its builtin functions.
func TestEveryBuiltinFunctionIsKnown(t *testing.T) {
	n := 0
	for _, scope := range []*types.Scope{types.Universe, types.Unsafe.Scope()} {
		for _, name := range scope.Names() {
			if _, ok := scope.Lookup(name).(*types.Builtin); ok {
				require.Contains(t, builtins, name)
				n++
			}
		}
	}
	require.Len(t, builtins, n)
}
