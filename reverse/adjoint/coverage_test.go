package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/activity"
)

var only = flag.String("only", "", "the functions that TestWhatIsTaken looks at, a regular expression")

// Of the functions that lift's tests lift, this command takes nine of ten; their gradients,
// compiled in one package, are those of the lifted functions, and their values have the
// bits of the functions.
func TestWhatIsTaken(t *testing.T) {
	if testing.Short() {
		t.Skip("each function is written alone, and all are compiled")
	}
	for name, files := range map[string][]string{
		"corpus": {"internal/corpus/constructs.go", "internal/corpus/mixed.go", "internal/corpus/models.go"},
		"gonum":  {"testdata/gonum/main.go"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp("testdata", "taken")
			require.NoError(t, err)
			if *keep == "" {
				defer os.RemoveAll(dir)
			} else {
				defer os.Rename(dir, *keep)
			}
			write := func(name, text string) {
				source, err := format.Source([]byte(text))
				if err != nil {
					source = []byte(text)
				}
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), source, 0o644))
			}
			for _, f := range files {
				text, err := os.ReadFile(filepath.Join("../../dual/lift", f))
				require.NoError(t, err)
				s := regexp.MustCompile(`(?m)^package corpus|^func main\(\)`).ReplaceAllStringFunc(string(text), func(s string) string {
					return map[string]string{"package corpus": "package main", "func main()": "func others()"}[s]
				})
				if name == "gonum" { // what its own test has beside the functions
					s, _, _ = strings.Cut(s, "var table")
					s = regexp.MustCompile(`"(github.com/hesse-ad/hesse/dual|fmt|math/rand/v2|os)"`).ReplaceAllString(s, "")
				}
				write(filepath.Base(f), s)
			}
			path, err := filepath.Abs(dir)
			require.NoError(t, err)
			p, err := newProgram(path, "adjoint.go")
			require.NoError(t, err)
			var all, taken []string
			reasons := map[string][]string{}
			for _, f := range p.Root.Syntax {
				for _, d := range f.Decls {
					d, ok := d.(*ast.FuncDecl)
					if !ok || d.Recv != nil || !strings.HasPrefix(p.Text(d.Type.Params.Pos(), d.Body.Pos()), "(x []float64) float64 ") || !regexp.MustCompile(*only).MatchString(d.Name.Name) {
						continue
					}
					all = append(all, d.Name.Name)
					if faults := faultsOf(p, d.Name.Name); len(faults) > 0 {
						at, what, _ := strings.Cut(faults[0], ": ")
						reasons[what] = append(reasons[what], d.Name.Name+" ("+at+")")
					} else {
						taken = append(taken, d.Name.Name)
					}
				}
			}
			var said []string
			for what, names := range reasons {
				said = append(said, what+": "+strings.Join(names, " "))
			}
			slices.SortFunc(said, func(a, b string) int { return strings.Count(b, " ") - strings.Count(a, " ") })
			t.Logf("%d of %d are taken; refused are\n%s", len(taken), len(all), strings.Join(said, "\n"))

			inputs := map[string]string{"corpus": "6", "gonum": "9"}
			tolerance := map[string]string{"corpus": "0", "gonum": "1e-12"} // gonum's sums are in assembly
			var check func(names []string)
			check = func(names []string) {
				text, faults, err := p.gradients(names, "adjoint.go")
				if n := len(names); (err != nil || len(faults) > 0) && n > 1 { // what one changes another reads
					check(names[:n/2])
					check(names[n/2:])
					return
				}
				require.NoError(t, err)
				require.Empty(t, strings.Join(faults, "\n"))
				write("adjoint.go", string(text))
				os.Remove(filepath.Join(dir, "lifted.go"))
				goCommand(t, path, append([]string{"run", "github.com/hesse-ad/hesse/dual/lift", "-o", "lifted.go"}, names...)...)
				var table strings.Builder
				for _, f := range names {
					fmt.Fprintf(&table, "{%q, %s, %sGradient, %sOf[dual.Number]},\n", f, f, f, f)
				}
				write("compare.go", strings.NewReplacer("INPUTS", inputs[name], "TOLERANCE", tolerance[name]).Replace(takenMain)+table.String()+"}\n")
				goCommand(t, path, "run", ".")
				os.Remove(filepath.Join(dir, "compare.go"))
			}
			for names := range slices.Chunk(taken, 30) {
				check(names)
			}
			if *only == "" {
				require.Greater(t, len(all), 90)
				require.LessOrEqual(t, 10*(len(all)-len(taken)), len(all))
			}
		})
	}
}

func faultsOf(p *program, name string) (faults []string) {
	defer func(q *activity.Program) {
		if e := recover(); e != nil {
			p.Program = q
			faults = []string{fmt.Sprint(": panic ", e)}
		}
	}(p.Program)
	_, faults, err := p.gradients([]string{name}, "adjoint.go")
	if err != nil {
		faults = []string{": error " + err.Error()}
	}
	return faults
}

func goCommand(t *testing.T, dir string, args ...string) {
	c := exec.Command("go", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOARCH=", "GOAMD64=v1")
	out, err := c.CombinedOutput()
	assert.NoError(t, err, string(out))
}

const takenMain = `package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/hesse-ad/hesse/dual"
)

func main() {
	failed := 0
	for _, f := range takenTable {
		compareTaken(f.name, f.plain, f.gradient, f.lifted, &failed)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

func compareTaken(name string, plain func(x []float64) float64, gradient func(dst, x []float64) float64, lifted func(x []dual.Number) dual.Number, failed *int) {
	defer func() {
		if e := recover(); e != nil {
			fmt.Println(name, "panics:", e)
			*failed++
		}
	}()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		x, have := make([]float64, INPUTS), make([]float64, INPUTS)
		for i := range x {
			x[i] = 0.05 + 0.9*rnd.Float64()
		}
		before := append([]float64(nil), x...)
		value := gradient(have, x)
		for i := range x {
			if x[i] != before[i] {
				fmt.Println(name, "changes x")
				*failed++
				return
			}
		}
		if want := plain(x); math.Abs(value-want) > TOLERANCE*math.Abs(want) && (value == value || want == want) {
			fmt.Println(name, "at", x, "is", value, "and not", want)
			*failed++
			return
		}
		size := 0.0
		for _, g := range have {
			size = max(size, math.Abs(g))
		}
		for i := range x {
			in := make([]dual.Number, len(x))
			for k := range x {
				in[k].V = x[k]
			}
			in[i].D = 1
			if want := lifted(in).D; have[i] != want && !(math.Abs(have[i]-want) <= 1e-9*(1+math.Abs(want)+size)) && (have[i] == have[i] || want == want) {
				fmt.Println(name, "at", x, "has the derivative", have[i], "by", i, "and not", want)
				*failed++
				return
			}
		}
	}
}

var takenTable = []struct {
	name     string
	plain    func(x []float64) float64
	gradient func(dst, x []float64) float64
	lifted   func(x []dual.Number) dual.Number
}{
`
