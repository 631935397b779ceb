package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/plot/plotter"

	"github.com/hesse-ad/hesse/bench/minima"
	"github.com/hesse-ad/hesse/hessian/newton"
)

// solved is a run of newton.InteriorPoint, kept for plots.
type solved struct {
	figure, problem string
	*newton.Result
	all time.Duration
}

// profiled are the settings that are compared.
var profiled = []struct {
	name string
	newton.InteriorPoint
}{
	{"default", newton.InteriorPoint{}},
	{"monotone", newton.InteriorPoint{Monotone: true}},
	{"unscaled", newton.InteriorPoint{Unscaled: true}},
	{"monotone, unscaled", newton.InteriorPoint{Monotone: true, Unscaled: true}},
}

// maxProfiled is how many iterations a run has to solve a problem.
const maxProfiled = 300

// profile counts the factorizations that settings take on the problems of Hock and
// Schittkowski and those of COPS, and prints their performance profile: the share of
// problems that each solves within a factor of the least of all (Dolan and Moré,
// Benchmarking optimization software with performance profiles, Math. Program. 91, 2002).
func (b *bench) profile() {
	problems := slices.Clone(minima.HS)
	if !b.quick {
		for _, f := range slices.Concat(minima.COPS, minima.Models) {
			problems = append(problems, f.At(f.Sizes[0]))
		}
	}
	b.ratios = make([][]float64, len(profiled))
	for _, p := range problems {
		counts := make([]float64, len(profiled))
		for k, o := range profiled {
			b.progress("%s, %s", p.Name, o.name)
			o.MaxIterations = maxProfiled
			r, err := o.Solve(context.Background(), p.Problem, p.X0)
			counts[k] = float64(r.Factorizations)
			row := row{Problem: p.Name, N: len(p.X0), Figure: "newton-profile", Method: o.name, Iterations: r.Iterations, Factorizations: r.Factorizations}
			if err != nil {
				counts[k] = math.Inf(1)
				row.Factorizations = 0
			}
			b.emit(row)
		}
		least := slices.Min(counts)
		for k, c := range counts {
			b.ratios[k] = append(b.ratios[k], c/least) // NaN if none solves it
		}
	}
	factors := []float64{1, 1.5, 2, 4, 8}
	t := table{text: 1, head: []string{"settings", "solved"}}
	for _, f := range factors {
		t.head = append(t.head, fmt.Sprintf("within %g", f))
	}
	for k, o := range profiled {
		cells := []string{o.name, share(b.ratios[k], math.MaxFloat64)}
		for _, f := range factors {
			cells = append(cells, share(b.ratios[k], f))
		}
		t.add(cells...)
	}
	b.print(fmt.Sprintf("newton.InteriorPoint by settings, %d problems of Hock and Schittkowski, of COPS and models: shares solved in %d\n"+
		"iterations, and within factors of the fewest factorizations", len(problems), maxProfiled), &t)
}

// within counts the ratios up to a factor.
func within(ratios []float64, factor float64) (count int) {
	for _, r := range ratios {
		if r <= factor {
			count++
		}
	}
	return count
}

func share(ratios []float64, factor float64) string {
	return fmt.Sprintf("%.0f %%", 100*float64(within(ratios, factor))/float64(len(ratios)))
}

// solvingPlots draws what newton-cops and newton-profile have measured.
func solvingPlots(b *bench) (figures []*figure) {
	if b.wants("newton-cops") {
		times := newFigure("newton-time", "Time to solve problems of COPS 3.0", "variables n", "time (s)")
		times.logarithmic()
		shares := newFigure("newton-share", "Share of linear algebra in that time", "variables n", "linear algebra/all")
		shares.logarithmicX()
		for i, f := range minima.COPS {
			var time, share plotter.XYs
			for _, s := range b.solved {
				if s.figure == "newton-cops" && s.problem == f.Name {
					n := float64(len(s.X))
					time = append(time, plotter.XY{X: n, Y: s.all.Seconds()})
					share = append(share, plotter.XY{X: n, Y: s.LinearAlgebra.Seconds() / s.all.Seconds()})
				}
			}
			times.line(i, f.Name, time)
			shares.line(i, f.Name, share)
		}
		figures = append(figures, times, shares)
	}
	if b.wants("newton-profile") {
		f := newFigure("newton-profile", "Performance profile of settings", "factor of the fewest factorizations", "problems solved")
		f.grid()
		for k, o := range profiled {
			var xy plotter.XYs
			for x := 1.0; x <= 4; x += 0.125 {
				xy = append(xy, plotter.XY{X: x, Y: float64(within(b.ratios[k], x)) / float64(len(b.ratios[k]))})
			}
			f.line(k, o.name, xy)
		}
		figures = append(figures, f)
	}
	return figures
}
