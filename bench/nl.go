package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/hesse-ad/hesse/bench/nl"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

// fromFile measures the derivatives of the problem in the .nl file of -nl, and solves it.
func (b *bench) fromFile() error {
	b.running = "nl"
	b.progress("reading")
	info, err := os.Stat(b.nl)
	if err != nil {
		return err
	}
	start := time.Now()
	p, err := nl.ReadFile(b.nl)
	if err != nil {
		return err
	}
	read := time.Since(start)
	start = time.Now()
	t, err := p.Tape(0)
	if err != nil {
		return err
	}
	record := time.Since(start)
	sizes := table{text: 2}
	sizes.add("problem", p.String())
	sizes.add("file", fmt.Sprintf("%d bytes, read in %s", info.Size(), duration(read.Seconds())))
	sizes.add("tape", fmt.Sprintf("%d operations, %d bytes, recorded in %s", t.Ops(), t.Bytes(), duration(record.Seconds())))
	b.print(b.nl, &sizes)

	x, w := p.X0, make([]float64, t.Outputs())
	for j := range w {
		w[j] = math.Cos(float64(j))
	}
	m := fileModel{bench: b, tape: t, x: x, w: w, y: make([]float64, len(w)), g: make([]float64, len(x))}
	m.table = table{text: 2, head: []string{"", "method", "colors", "nonzeros", "prepare", "evaluation", "in values", "Verify"}}
	m.derivatives()
	b.print("Derivatives at the start of L = Σ wⱼ[f; c]ⱼ, wⱼ = cos j:", &m.table)

	b.progress("solving")
	start = time.Now()
	r, err := newton.InteriorPoint{}.Solve(context.Background(), p.Minimization(t), p.X0)
	all := time.Since(start)
	s := p.Solution(r, err, 0)
	found := table{text: 2}
	status, rest, _ := strings.Cut(s.Message, "\n")
	found.add("status", status)
	found.add("", rest)
	found.add("largest errors", fmt.Sprintf("dual %.1e, primal %.1e, complementarity %.1e", r.Unscaled.Dual, r.Unscaled.Primal, r.Unscaled.Complementarity))
	b.print("Solution by newton.InteriorPoint:", &found)
	times := table{head: costHead}
	times.add(cost(r.Cost, all)...)
	b.print("What it took:", &times)
	return nil
}

// A fileModel is a problem whose derivatives are being measured.
type fileModel struct {
	*bench
	table      table
	tape       *reverse.Tape
	x, w, y, g []float64
}

// derivatives adds the rows of the table.
func (m *fileModel) derivatives() {
	m.row("value", "tape", 0, 0, 0, func() { must(m.tape.Values(m.y, m.x)) }, nil)
	m.row("∇L", "tape", 0, 0, 0, func() { must(m.tape.VJP(m.g, m.x, m.w)) }, nil)
	for _, by := range hessianMethods {
		m.progress("Hessian by %s", by.name)
		start := time.Now()
		h, err := hessian.SparseSettings{Method: by.hessian, Lower: true}.New(m.tape)
		if errors.Is(err, reverse.ErrNoTerms) {
			continue
		}
		h = must(h, err)
		prepare, dst := time.Since(start), h.Matrix()
		m.row("∇²L", named(by.name, h.Method()), numColors(h.Coloring()), h.Pattern().NNZ(), prepare,
			func() { must(h.Eval(dst, m.x, m.w...)) }, func() error { return h.Verify(m.x, m.w...) })
	}
	if m.tape.Outputs() == 1 {
		return
	}
	for _, by := range jacobianMethods {
		m.progress("Jacobian by %s", by.name)
		start := time.Now()
		j, err := reverse.SparseSettings{Method: by.jacobian}.New(m.tape)
		if errors.Is(err, reverse.ErrNoTerms) {
			continue
		}
		j = must(j, err)
		prepare, dst := time.Since(start), j.Matrix()
		m.row("[f; c]′", named(by.name, j.Method()), numColors(j.Coloring()), j.Pattern().NNZ(), prepare,
			func() { must(j.Eval(dst, m.x)) }, func() error { return j.Verify(m.x) })
	}
}

// manyColors is beyond what is worth evaluating.
const manyColors = 400

// row times an evaluation beside the values.
func (m *fileModel) row(what, method string, colors, nnz int, prepare time.Duration, eval func(), verify func() error) {
	cells := []string{what, method, none, none, none, none, none, none}
	if colors > 0 {
		cells[2] = fmt.Sprint(colors)
	}
	if prepare > 0 {
		cells[3], cells[4] = fmt.Sprint(nnz), duration(prepare.Seconds())
	}
	if colors <= manyColors {
		s := m.measure(func() { must(m.tape.Values(m.y, m.x)) }, eval)
		cells[5], cells[6] = duration(s[1].time()), digits(s[1].ratio(s[0]))
		if verify != nil {
			cells[7] = verdict(verify())
		}
	}
	m.table.add(cells...)
}

// named is what was asked for, and for auto what was taken.
func named(asked string, taken fmt.Stringer) string {
	if asked == "auto" {
		return "auto: " + taken.String()
	}
	return asked
}

func verdict(err error) string {
	if err != nil {
		return err.Error()
	}
	return "ok"
}
