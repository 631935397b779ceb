package main

import (
	"encoding/json"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Functions of gonum, read from the module cache, are lifted, compiled and compared
// with the originals.
func TestFunctionsOfGonum(t *testing.T) {
	dir, err := filepath.Abs("testdata/gonum")
	require.NoError(t, err)
	p, err := load(dir, settings{output: "lifted.go"})
	require.NoError(t, err)
	s := settings{output: "lifted.go"}
	for _, d := range p.Root.Syntax[0].Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Type.Params.NumFields() == 1 {
			s.functions = append(s.functions, d.Name.Name)
		}
	}
	text, _, faults, err := lift(p, s)
	require.NoError(t, err)
	require.Empty(t, faults)

	tmp := t.TempDir()
	lifted, overlay := filepath.Join(tmp, "lifted.go"), filepath.Join(tmp, "overlay.json")
	require.NoError(t, os.WriteFile(lifted, text, 0o644))
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(dir, "lifted.go"): lifted}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, list, 0o644))
	out, err := goCommand("run", "-overlay", overlay, "./testdata/gonum").CombinedOutput()
	require.NoError(t, err, string(out))
}

// goCommand is the command go for this machine, though the test may run emulated, and
// on amd64 with a compiler that rounds every product: then lifted functions have the
// bits of the plain ones.
func goCommand(args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), "GOARCH=", "GOAMD64=v1")
	return c
}
