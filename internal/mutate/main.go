// Mutate breaks the derivative rules and the recovery of sparse matrices one
// place at a time and lists what no test noticed. Signs are flipped, operands
// and arguments swapped, terms and factors dropped, conditions negated,
// properties in the table of operations exchanged. All mutants are compiled
// at once, as alternatives in an overlay of the tree, and switched on by an
// environment variable; the tests nearest to a mutant run first:
//
//	go run ./internal/mutate                     # everything: hours
//	go run ./internal/mutate -files internal/elem
//	go run ./internal/mutate -n 5 -seed 3        # at most five mutants of a file
//	go run ./internal/mutate -list               # only says what it would try
//
// Mutants that compute the same as the original are listed, with the reason, in
// equivalent.go; the others that survive end the run with status 1.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// A target names files to mutate and the packages whose tests must notice, the
// nearest first.
type target struct {
	files string
	tests []string
}

var targets = []target{
	{"internal/elem/*.go", []string{"internal/elem", "dual"}},
	{"internal/op/table.go", []string{"internal/op", "internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog", "internal/domains"}},
	{"internal/sweep/value.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog"}},
	{"internal/tape/partials.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/domains", "internal/testkit/randprog"}},
	{"internal/sweep/tangent.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog"}},
	{"internal/sweep/adjoint.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog"}},
	{"internal/sweep/second.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog", "hessian"}},
	{"internal/sweep/affine.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog"}},
	{"internal/sweep/loops.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog"}},
	{"internal/sweep/rows.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog", "hessian"}},
	{"internal/sweep/span.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog", "hessian"}},
	{"internal/compile/batches.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog", "hessian"}},
	{"internal/compile/order.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog", "hessian"}},
	{"internal/compile/rows.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog", "hessian"}},
	{"internal/compile/affine.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog", "hessian"}},
	{"internal/compile/levels.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog", "hessian"}},
	{"internal/compile/chains.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog", "hessian"}},
	{"internal/compile/live.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog", "hessian"}},
	{"internal/compile/sections.go", []string{"internal/sweep", "reverse", "internal/testkit/randprog", "hessian"}},
	{"internal/compile/writes.go", []string{"internal/compile", "internal/sweep", "reverse", "internal/testkit/randprog", "hessian"}},
	{"dual/number.go", []string{"dual", "internal/testkit/randprog"}},
	{"dual/hyper.go", []string{"dual", "internal/testkit/randprog"}},
	{"dual/of.go", []string{"dual", "internal/testkit/randprog"}},
	{"dual/helpers.go", []string{"dual", "internal/testkit/randprog"}},
	{"dual/activation.go", []string{"dual", "internal/testkit/randprog"}},
	{"internal/expr/derive.go", []string{"internal/terms", "internal/testkit/randprog", "hessian"}},
	{"internal/expr/writer.go", []string{"internal/scan", "internal/terms", "internal/testkit/randprog", "reverse"}},
	{"internal/expr/edges.go", []string{"internal/terms", "internal/testkit/randprog", "hessian"}},
	{"internal/expr/factor.go", []string{"internal/expr", "internal/terms", "internal/testkit/randprog"}},
	{"internal/expr/share.go", []string{"internal/expr", "internal/terms", "internal/testkit/randprog"}},
	{"internal/expr/expr.go", []string{"internal/terms", "internal/testkit/randprog", "hessian"}},
	{"internal/bucket/bucket.go", []string{"internal/bucket"}},
	{"internal/terms/classify.go", []string{"internal/terms", "internal/testkit/randprog", "hessian"}},
	{"internal/code/machine.go", []string{"internal/terms", "internal/testkit/randprog", "hessian"}},
	{"internal/code/sink.go", []string{"internal/terms", "internal/testkit/randprog", "hessian"}},
	{"internal/terms/matrix.go", []string{"internal/terms", "internal/testkit/randprog", "hessian"}},
	{"internal/terms/parallel.go", []string{"internal/terms", "internal/testkit/randprog", "hessian"}},
	{"internal/terms/declared.go", []string{"internal/terms", "internal/testkit/randprog", "hessian"}},
	{"internal/terms/repeat.go", []string{"internal/terms", "internal/testkit/randprog", "hessian"}},
	{"hessian/problem.go", []string{"hessian"}},
	{"implicit/linsolve/cholesky.go", []string{"implicit/linsolve"}},
	{"implicit/linsolve/solve.go", []string{"implicit/linsolve"}},
	{"implicit/linsolve/assignment.go", []string{"implicit/linsolve"}},
	{"implicit/linsolve/front.go", []string{"implicit/linsolve"}},
	{"implicit/linsolve/qr.go", []string{"implicit/linsolve"}},
	{"internal/domains/*.go", []string{"internal/domains", "sparsity/detect"}},
	{"coloring/recovery.go", []string{"coloring", "hessian", "reverse"}},
	{"coloring/star.go", []string{"coloring"}},
	{"coloring/acyclic.go", []string{"coloring"}},
	{"coloring/forest.go", []string{"coloring"}},
	{"coloring/neutral.go", []string{"coloring"}},
}

var (
	files   = flag.String("files", ".", "mutate only files that match this regular expression")
	most    = flag.Int("n", 0, "try at most this many mutants of a file, chosen at random; 0 for all")
	seed    = flag.Uint64("seed", 1, "of the choice")
	jobs    = flag.Int("j", 2, "mutants tried at once")
	wrapper = flag.String("exec", "", "a program that runs the tests, as in go test")
	list    = flag.Bool("list", false, "list the mutants without trying them")
	verbose = flag.Bool("v", false, "say what became of each")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("mutate: ")
	flag.Parse()
	chosen, err := regexp.Compile(*files)
	if err != nil {
		log.Fatal(err)
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.Chdir(strings.TrimSpace(string(root))); err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	in, err := newInstrumenter()
	if err != nil {
		log.Fatal(err)
	}
	tests := map[string][]string{} // by file
	dirs := []string{}
	for _, t := range targets {
		names, err := filepath.Glob(t.files)
		if err != nil || names == nil {
			log.Fatalf("no file %s: %v", t.files, err)
		}
		for _, name := range names {
			if chosen.MatchString(name) && !strings.HasSuffix(name, "_test.go") {
				tests[name] = t.tests
				dirs = append(dirs, filepath.Dir(name))
			}
		}
	}
	slices.Sort(dirs)
	overlay := map[string]string{}
	for _, d := range slices.Compact(dirs) {
		changed, err := in.instrument(d, func(file string) bool { return tests[file] != nil })
		if err != nil {
			log.Fatal(err)
		}
		for name, text := range changed {
			abs, err := filepath.Abs(name)
			if err != nil {
				log.Fatal(err)
			}
			overlay[abs] = filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
			if err := os.WriteFile(overlay[abs], []byte(text), 0o666); err != nil {
				log.Fatal(err)
			}
		}
	}
	var mutants []mutant
	for at := 0; at < len(in.mutants); {
		end := at
		for end < len(in.mutants) && in.mutants[end].file == in.mutants[at].file {
			end++
		}
		mutants = append(mutants, sample(in.mutants[at:end])...)
		at = end
	}
	if *list {
		for _, m := range mutants {
			fmt.Println(m)
		}
		return
	}

	file, binaries := newBinaries(dir, overlay)
	verdicts := make([]string, len(mutants))
	var group sync.WaitGroup
	next := make(chan int)
	for range *jobs {
		group.Go(func() {
			for i := range next {
				verdicts[i] = try(mutants[i], tests[mutants[i].file], file, binaries)
				if *verbose || verdicts[i] == survived {
					fmt.Printf("%s: %s\n", verdicts[i], mutants[i])
				}
			}
		})
	}
	for i := range mutants {
		next <- i
	}
	close(next)
	group.Wait()

	count := map[string]int{}
	for _, v := range verdicts {
		count[v]++
	}
	fmt.Printf("%d mutants: %d killed, %d equivalent, %d survived\n", len(mutants), count[killed], count[equal], count[survived])
	if count[survived] > 0 {
		os.RemoveAll(dir)
		os.Exit(1)
	}
}

// sample is at most -n of the mutants, in their order.
func sample(ms []mutant) []mutant {
	if *most <= 0 || *most >= len(ms) {
		return ms
	}
	keep := rand.New(rand.NewPCG(*seed, 0)).Perm(len(ms))[:*most]
	slices.Sort(keep)
	few := make([]mutant, 0, *most)
	for _, k := range keep {
		few = append(few, ms[k])
	}
	return few
}

const (
	killed   = "killed"
	equal    = "equivalent"
	survived = "SURVIVED"
)

// A binary is the tests of a package with all mutants in it, compiled when the
// first mutant comes to it.
type binary struct {
	once      sync.Once
	pkg, path string
	args      []string
	timeout   time.Duration
}

// newBinaries prepares the tests of all targets with the files of an overlay.
func newBinaries(dir string, overlay map[string]string) (file string, binaries map[string]*binary) {
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		log.Fatal(err)
	}
	file = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		log.Fatal(err)
	}
	binaries = map[string]*binary{}
	for _, t := range targets {
		for _, pkg := range t.tests {
			binaries[pkg] = &binary{pkg: pkg, path: filepath.Join(dir, strings.ReplaceAll(pkg, "/", "_")+".test")}
		}
	}
	return file, binaries
}

// compile makes the binary and checks that its tests pass without a mutant.
func (b *binary) compile(overlay string) {
	out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", b.path, "./"+b.pkg).CombinedOutput()
	if err != nil {
		log.Fatalf("%s: %v\n%s", b.pkg, err, out)
	}
	b.args = []string{"-test.short", "-test.failfast"}
	if help, _ := exec.Command(b.path, "-h").CombinedOutput(); bytes.Contains(help, []byte("rapid.shrinktime")) {
		b.args = append(b.args, "-rapid.shrinktime=0s", "-rapid.nofailfile")
	}
	b.timeout = 10 * time.Minute
	start := time.Now()
	if out, err := b.run(0); err != nil {
		log.Fatalf("%s fails without a mutant: %v\n%s", b.pkg, err, out)
	}
	b.timeout = 10*time.Second + 5*time.Since(start)
}

func (b *binary) run(number int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), b.timeout)
	defer cancel()
	c := exec.CommandContext(ctx, b.path, b.args...)
	if *wrapper != "" {
		c = exec.CommandContext(ctx, *wrapper, append([]string{b.path}, b.args...)...)
	}
	c.Dir = b.pkg
	c.Env = append(os.Environ(), fmt.Sprintf("MUTANT=%d", number))
	return c.CombinedOutput()
}

// try runs the tests against a mutant up to the first failure; to run forever
// is one.
func try(m mutant, tests []string, overlay string, binaries map[string]*binary) string {
	if slices.ContainsFunc(equivalent, func(e equivalence) bool {
		return e.file == m.file && e.from == m.from && e.to == m.to
	}) {
		return equal
	}
	for _, pkg := range tests {
		b := binaries[pkg]
		b.once.Do(func() { b.compile(overlay) })
		if _, err := b.run(m.number); err != nil {
			return killed
		}
	}
	return survived
}
