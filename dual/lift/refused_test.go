package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hesse-ad/hesse/internal/activity"
	"github.com/stretchr/testify/require"
)

// analyzed runs the analysis of one function and returns what stands in its way.
func analyzed(t *testing.T, p *activity.Program, name string) []string {
	a := newAnalysis(p)
	in, err := a.Root(name, nil)
	require.NoError(t, err)
	a.Run()
	if len(a.Faults) == 0 {
		newWriter(a, false).write([]*activity.Instance{in})
	}
	return p.Report(a.Faults)
}

func TestRefusedConstructsAreNamedWithTheirPlace(t *testing.T) {
	dir, err := filepath.Abs("testdata/refused")
	require.NoError(t, err)
	p, err := load(dir, settings{})
	require.NoError(t, err)
	src, err := os.ReadFile(filepath.Join(dir, "refused.go"))
	require.NoError(t, err)
	mark := regexp.MustCompile(`/\*!([^*]*)\*/,? ?`)
	n := 0
	for _, d := range p.Root.Syntax[0].Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Recv != nil || d.Body == nil {
			continue
		}
		file := p.Fset.File(d.Pos())
		marks := mark.FindAllSubmatchIndex(src[file.Offset(d.Pos()):file.Offset(d.End())], -1)
		if len(marks) == 0 || !strings.HasPrefix(p.Text(d.Type.Params.Pos(), d.Type.Params.End()), "(x []float64") {
			continue
		}
		n++
		faults := analyzed(t, p, d.Name.Name)
		require.NotEmpty(t, faults, d.Name.Name)
		for _, m := range marks {
			at := p.Fset.Position(d.Pos() + token.Pos(m[1]))
			want := fmt.Sprintf("refused.go:%d:%d: ", at.Line, at.Column)
			text := string(src[file.Offset(d.Pos())+m[2] : file.Offset(d.Pos())+m[3]])
			found := false
			for _, f := range faults {
				found = found || strings.HasPrefix(f, want) && strings.Contains(f, text)
			}
			require.True(t, found, "%s: want %s%s, have\n%s", d.Name.Name, want, text, strings.Join(faults, "\n"))
		}
	}
	require.GreaterOrEqual(t, n, 60)
}
