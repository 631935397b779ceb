package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// reversed is the file with the adjoint of what a first transformation wrote of functions,
// and products with Hessians by it.
func reversed(t *testing.T, p *program, names []string, output string, tangent bool) []byte {
	var roots []root
	var text []byte
	var faults []string
	var err error
	if tangent {
		text, faults, err = p.tangents(rootsOf(names, false), output, func(u *unit) {
			roots = append(roots, root{name: u.tangentName(!u.again()), active: []string{u.params[0].name, u.bar(u.params[0])}})
		})
	} else {
		text, faults, err = p.adjoints(rootsOf(names, false), output, func(u *unit) {
			p.sweeps(u)
			roots = append(roots, root{name: u.sweepsName(!u.again()), active: []string{u.params[0].name, u.bar(u.params[0])}})
		})
	}
	require.NoError(t, err)
	require.Empty(t, faults)
	for i := range roots {
		roots[i].active = append(roots[i].active, p.saved...)
	}
	q, err := p.with(output, text)
	require.NoError(t, err)
	units, faults, err := q.begin(roots, names[0], false)
	require.NoError(t, err)
	require.Empty(t, faults, string(text))
	for k, u := range units {
		name := u.name + "Forward"
		u.usesPlain()
		back := u.reverseName(false)
		q.public = append(q.public, names[k]+"HVP")
		q.file.Printf("func %sHVP(dst, x, v []float64, d *data) {\nclear(dst)\nw, g := new(%s), make([]float64, len(x))\n", names[k], q.work)
		if tangent {
			q.file.Printf("%s(w, x, dst, v, g, d)\n%s(w, x, dst, v, g, d, 0, 1)\n}\n", name, back)
			continue
		}
		q.file.Printf("h := append([]float64(nil), v...)\nsaved, adjoint := new(%s), new(%s)\n", p.work, p.work)
		list := "w, saved, adjoint, x, dst, g, h, d"
		if !u.params[0].active {
			list = "w, saved, x, dst, g, h, d"
		}
		q.file.Printf("%s(%s)\n%s(%s)\n}\n", name, list, back, list)
	}
	for _, u := range q.units {
		q.printUnit(u)
	}
	q.printWork()
	q.printHelpers()
	second, err := q.text("second_" + output)
	require.NoError(t, err)
	merged, err := merge([][]byte{second, text}, q.public)
	require.NoError(t, err)
	return merged
}

const secondMain = `package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/hesse-ad/hesse/dual"
)

func near(a, b, size float64) bool { return math.Abs(a-b) <= 1e-9*(1+size) || b != b || size > 1e9 }

func main() {
	d := &data{[]float64{0.5, -1, 2}, 1.5}
	failed := 0
	for k, f := range table {
		rnd := rand.New(rand.NewPCG(7, 7))
		for range 30 {
			x := []float64{rnd.NormFloat64(), rnd.NormFloat64(), float64(rnd.IntN(3)) + rnd.Float64()}
			v := []float64{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}
			have, want := make([]float64, len(x)), make([]float64, len(x))
			f.hvp(have, x, v, d)
			size := 0.0
			for i := range x {
				in := make([]dual.Hyper, len(x))
				for j := range x {
					in[j] = dual.Hyper{V: x[j], D1: v[j]}
				}
				in[i].D2 = 1
				h := f.lifted(in, d)
				want[i] = h.D12
				size = max(size, math.Abs(h.D1), math.Abs(h.D2), math.Abs(h.D12))
			}
			for i := range x {
				if !near(have[i], want[i], size) {
					fmt.Println("function", k, "at", x, "along", v, "has", have, "and not", want)
					failed++
					break
				}
			}
		}
		if failed > 3 {
			break
		}
	}
	if failed > 0 {
		os.Exit(1)
	}
}
`

// Products with Hessians of random functions by tangents and adjoints in each order are those
// of the lifted functions; -programs makes more of them.
func TestHessiansOfRandomFunctions(t *testing.T) {
	for name, write := range map[string]func(t *testing.T, p *program, names []string) []byte{
		"tangent of adjoint": func(t *testing.T, p *program, names []string) []byte { return written(t, p, request{hvp: true}, names) },
		"tangent of tangent": func(t *testing.T, p *program, names []string) []byte {
			return written(t, p, request{bilinear: true}, names)
		},
		"adjoint of tangent": func(t *testing.T, p *program, names []string) []byte { return reversed(t, p, names, "second.go", true) },
		"adjoint of adjoint": func(t *testing.T, p *program, names []string) []byte {
			return reversed(t, p, names, "second.go", false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, names, run := randomProgram(t, (*programs+2)/3, 3)
			p, err := newProgram(dir, "second.go")
			require.NoError(t, err)
			writeSource(t, dir, "second.go", string(write(t, p, names)))
			table := "type row = struct {\nhvp func(dst, x, v []float64, d *data)\nlifted func(x []dual.Hyper, d *data) dual.Hyper\n}\n\nvar table = []row{\n"
			for _, f := range names {
				if name == "tangent of tangent" {
					table += fmt.Sprintf("{byForms(%sBilinear), %sOf[dual.Hyper]},\n", f, f)
				} else {
					table += fmt.Sprintf("{%sHVP, %sOf[dual.Hyper]},\n", f, f)
				}
			}
			writeSource(t, dir, "main.go", secondMain+table+"}\n"+`
func byForms(form func(x, u, v []float64, d *data) float64) func(dst, x, v []float64, d *data) {
	return func(dst, x, v []float64, d *data) {
		u := make([]float64, len(x))
		for i := range x {
			u[i] = 1
			dst[i] = form(x, u, v, d)
			u[i] = 0
		}
	}
}
`)
			run("run", ".")
		})
	}
}

func written(t *testing.T, p *program, q request, names []string) []byte {
	text, faults, err := p.write(q, names, "second.go")
	require.NoError(t, err)
	require.Empty(t, faults)
	return text
}
