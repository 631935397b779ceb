package reverse

import (
	"slices"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/scan"
)

// sideBySide is how many lanes are run together at least. An operation on one or on
// several of them takes about as long: for derivatives of steps of arithmetic alone it
// is 25 to 35 lanes from which on that pays, for those with many Shared 45 to 55. Tests
// lower it.
var sideBySide = 48

// Lanes is dual.ScanLanes of the loops, if they are to be run side by side. Loops of one
// length are one operation of the tape, each other length is one more.
func (recorder) Lanes(loops []dual.Loop[Var]) (last, sum [][]Var, ok bool) {
	b := batch{loops: loops}
	if !b.collect() {
		return nil, nil, false
	}
	// Loops that are over drop out, the shortest first.
	order := make([]int, len(loops))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return loops[j].Len() - loops[i].Len() })
	last, sum = make([][]Var, len(loops)), make([][]Var, len(loops))
	for i := range loops {
		last[i] = loops[i].Start
		if loops[i].Len() > 0 {
			sum[i] = make([]Var, b.outputs)
		}
	}
	from := 0
	for len(order) >= sideBySide {
		to := loops[order[len(order)-1]].Len()
		if to > from {
			b.run(order, from, to, last, sum)
		}
		from = to
		for len(order) > 0 && loops[order[len(order)-1]].Len() == from {
			order = order[:len(order)-1]
		}
	}
	for _, i := range order { // too few of them are left
		l := loops[i]
		l.Start, l.Steps = last[i], l.Len()-from
		l.Vars, l.Data = l.Vars[min(from, len(l.Vars)):], l.Data[min(from, len(l.Data)):]
		y, out := dual.Scan(l)
		last[i], sum[i] = y, added(sum[i], out)
	}
	return last, sum, true
}

// added is x + y.
func added(x, y []Var) []Var {
	z := slices.Clone(x)
	for j := range z {
		z[j] = z[j].Add(y[j])
	}
	return z
}

// batch is loops with the same step.
type batch struct {
	loops      []dual.Loop[Var]
	n, w, u, p int // lengths of a state, of Shared, of the rows
	outputs    int
	shared     []Var
	step       func(s, w, u, p []Var) (next, out []Var)
}

// collect reports whether the loops are to be run side by side.
func (b *batch) collect() bool {
	i := slices.IndexFunc(b.loops, func(l dual.Loop[Var]) bool { return l.Len() > 0 })
	if i < 0 || len(b.loops) < sideBySide || b.loops[i].While != nil {
		return false
	}
	s := &scanning{Loop: b.loops[i], steps: 1, outputs: -1}
	for _, l := range b.loops {
		s.operands = append(s.operands, l.Start...)
		for _, u := range l.Vars {
			s.operands = append(s.operands, u...)
		}
	}
	s.collect()
	if s.r == nil || s.r.Traced() {
		return false
	}
	x := constants(slices.Concat(s.Start, s.Shared, s.row(0)))
	step, err := s.recordStep(&scan.Loop{Data: scan.Data{Values: s.data, N: s.params}}, 0, x, 0)
	if err != nil || step == nil || !step.Certain() || step.P.HasCalls() {
		return false
	}
	b.n, b.w, b.u, b.p, b.outputs = s.n, s.w, s.u, s.params, s.outputs
	b.shared, b.step = s.Shared, s.Step
	return true
}

// run takes the steps from … to−1 of some of the loops. Their states stand number by
// number, the numbers of one step of all lanes side by side, and so do rows and outputs.
func (b *batch) run(lanes []int, from, to int, last, sum [][]Var) {
	count := len(lanes)
	l := b.loops[lanes[0]]
	l.Steps, l.Vars, l.Data, l.Start = to-from, nil, nil, make([]Var, b.n*count)
	for t, i := range lanes {
		for j, s := range last[i] {
			l.Start[j*count+t] = s
		}
	}
	for k := from; k < to; k++ {
		u, p := make([]Var, b.u*count), make([]float64, b.p*count)
		for t, i := range lanes {
			if b.u > 0 {
				for j, v := range b.loops[i].Vars[k] {
					u[j*count+t] = v
				}
			}
			if b.p > 0 {
				for j, v := range b.loops[i].Data[k] {
					p[j*count+t] = v
				}
			}
		}
		if b.u > 0 {
			l.Vars = append(l.Vars, u)
		}
		if b.p > 0 {
			l.Data = append(l.Data, p)
		}
	}
	// Of the operands [s; u; p; w] of a step all but w are of each lane.
	own := b.n + b.u + b.p
	index := sideBySideLists(own, count)
	for i := range b.w {
		index = append(index, []int{own*count + i})
	}
	results := b.n + b.outputs
	rows := sideBySideLists(results, count)
	l.Step = func(s, w, u, p []Var) (next, out []Var) {
		y := RepeatVec(func(x, _ []Var) []Var {
			cut := func(n int) (z []Var) {
				z, x = x[:n:n], x[n:]
				return z
			}
			s, u, p := cut(b.n), cut(b.u), cut(b.p)
			next, out := b.step(s, x, u, p)
			return append(next[:len(next):len(next)], out...)
		}, slices.Concat(s, u, p, w), index, nil, results*count, rows)
		return y[:b.n*count], y[b.n*count:]
	}
	y, out := dual.Scan(l)
	for t, i := range lanes {
		last[i] = make([]Var, b.n)
		for j := range last[i] {
			last[i][j] = y[j*count+t]
		}
		var sums []Var
		for j := range b.outputs {
			sums = append(sums, out[j*count+t])
		}
		sum[i] = added(sum[i], sums)
	}
}

// sideBySideLists is the places of n numbers of each lane.
func sideBySideLists(n, lanes int) (lists [][]int) {
	for i := range n {
		list := make([]int, lanes)
		for t := range list {
			list[t] = i*lanes + t
		}
		lists = append(lists, list)
	}
	return lists
}
