package linsolve

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// The elimination of LDL. Each front is a dense symmetric matrix, of which the
// lower triangle is kept column by column. Columns of what can be eliminated are
// brought up to date when they are tried as pivots, within a panel of pivots, and
// all others in blocks (Anderson and Dongarra, Evaluating block algorithm
// variants in LAPACK, LAPACK Working Note 19, 1990).

// eliminate computes L and D, front by front, and returns how many elements these
// have. It ends early once they are more than limit.
func (l *LDL) eliminate(limit int) (elements int) {
	w := &l.work
	w.stack, w.stackVars, w.passed = w.stack[:0], w.stackVars[:0], w.passed[:0]
	l.largest = 0
	l.least = math.Inf(1)
	l.positive, l.negative, l.zero = 0, 0, l.zero[:0]
	l.done, l.index, l.val, l.d, l.e = l.done[:0], l.index[:0], l.val[:0], l.d[:0], l.e[:0]
	for s := range l.supernodes() {
		if order := l.path(s); order > 0 {
			elements += order * order
			continue
		}
		front, vars, candidates := l.assemble(s)
		order := len(vars)
		if elements += order * order; elements > limit {
			return elements
		}
		l.largest = max(l.largest, order)
		k := l.factorFront(front, order, candidates, vars)
		for j := range k {
			l.val = append(l.val, front[j*order+j+1:(j+1)*order]...)
		}
		l.done = append(l.done, ldlFront{k, len(l.index), len(l.val)})
		if l.parent[s] == none {
			for _, v := range vars[k:] { // no number to divide by
				l.least = 0
				l.zero = append(l.zero, int(l.order[v]))
			}
			continue
		}
		w.passed = append(w.passed, passedOn{order - k, candidates - k})
		w.stackVars = append(w.stackVars, vars[k:]...)
		for j := k; j < order; j++ {
			w.stack = append(w.stack, front[j*order+j:(j+1)*order]...)
		}
	}
	return elements
}

// path eliminates front s by a pivot of order 1, without the detour by a matrix, if
// it is one column and its children add to the diagonal alone, as all do in a
// forest. It returns the order of the front if it did, else 0.
func (l *LDL) path(s int) (order int) {
	w := &l.work
	below, children := l.below(s), int(l.children[s])
	n, from := len(below), len(l.val)
	first := len(w.passed) - children
	if l.width(s) > 1 {
		return 0
	}
	for _, c := range w.passed[first:] {
		if c != (passedOn{order: 1}) {
			return 0
		}
	}
	l.val = extend(l.val, n)
	x := l.val[from:]
	clear(x)
	pivot := 0.0
	values := l.a.Triangle().Values()
	lo, hi := l.aPtr[s], l.aPtr[s+1]
	rows := l.aRow[lo:hi]
	for t, src := range l.aSrc[lo:hi] {
		if r := rows[t]; r > 0 {
			x[r-1] = values[src]
		} else {
			pivot = values[src]
		}
	}
	at := len(w.stack) - children
	for _, v := range w.stack[at:] {
		pivot += v
	}
	if a := math.Abs(pivot); !(a >= l.threshold*largest(x) && a > ldlZero && finite(a)) {
		l.val = l.val[:from]
		return 0
	}
	w.stack, w.stackVars, w.passed = w.stack[:at], w.stackVars[:len(w.stackVars)-children], w.passed[:first]
	if n > 0 {
		w.stack = extend(w.stack, n*(n+1)/2)
		to := w.stack[at:]
		for j, u := range x {
			v := u / pivot
			tail := x[j:]
			column := to[:len(tail)]
			for i, u := range tail {
				column[i] = -float64(v * u)
			}
			to = to[len(tail):]
			x[j] = v
		}
		w.stackVars = append(w.stackVars, below...)
		w.passed = append(w.passed, passedOn{n, 0})
	}
	l.countSingle(pivot)
	l.index = append(append(l.index, l.first[s]), below...)
	l.done = append(l.done, ldlFront{1, len(l.index), len(l.val)})
	l.largest = max(l.largest, n+1)
	return n + 1
}

// extend lengthens s by n elements, whatever they are.
func extend(s []float64, n int) []float64 {
	if cap(s)-len(s) < n {
		s = slices.Grow(s, n)
	}
	return s[:len(s)+n]
}

// assemble makes the matrix of front s out of the entries of A and of what its
// children passed on. Of its variables, new in index, the first candidates are to
// be eliminated here if they can be: its own, and those that were left over.
func (l *LDL) assemble(s int) (front []float64, vars []int32, candidates int) {
	w := &l.work
	first := len(w.passed) - int(l.children[s]) // of its children on the stack
	at := len(l.index)
	for k := l.first[s]; k < l.first[s+1]; k++ {
		l.index = append(l.index, k)
	}
	width := len(l.index) - at
	var size, stacked int // of the children's matrices and their variables
	children := w.passed[first:]
	for _, c := range children {
		size += c.order * (c.order + 1) / 2
		stacked += c.order
	}
	childVars := w.stackVars[len(w.stackVars)-stacked:]
	t := 0
	for _, c := range children {
		l.index = append(l.index, childVars[t:t+c.still]...)
		t += c.order
	}
	candidates = len(l.index) - at
	l.index = append(l.index, l.below(s)...)
	vars = l.index[at:]

	order := len(vars)
	w.front = resize(w.front, order*order)
	front = w.front
	clear(front)
	values := l.a.Triangle().Values()
	for t := l.aPtr[s]; t < l.aPtr[s+1]; t++ {
		row := int(l.aRow[t])
		if row >= width {
			row += candidates - width
		}
		front[int(l.aCol[t])*order+row] += values[l.aSrc[t]]
	}
	if len(children) == 0 {
		return front, vars, candidates
	}
	for i, v := range vars {
		w.local[v] = int32(i)
	}
	matrix := w.stack[len(w.stack)-size:]
	for _, c := range children {
		n := c.order
		if n == 1 {
			i := int(w.local[childVars[0]])
			front[i*order+i] += matrix[0]
			childVars, matrix = childVars[1:], matrix[1:]
			continue
		}
		w.relative = w.relative[:0]
		for _, v := range childVars[:n] {
			w.relative = append(w.relative, w.local[v])
		}
		extendAdd(front, order, matrix, w.relative, c.still)
		childVars, matrix = childVars[n:], matrix[n*(n+1)/2:]
	}
	w.stack = w.stack[:len(w.stack)-size]
	w.stackVars = w.stackVars[:len(w.stackVars)-stacked]
	w.passed = w.passed[:first]
	return front, vars, candidates
}

// extendAdd adds a matrix, packed column by column, whose variables have the
// numbers to in the front. Behind the first still these ascend.
func extendAdd(front []float64, order int, matrix []float64, to []int32, still int) {
	for j, c := range to {
		column := matrix[:len(to)-j]
		matrix = matrix[len(to)-j:]
		if j < still {
			for t, r := range to[j:] {
				front[int(min(r, c))*order+int(max(r, c))] += column[t]
			}
			continue
		}
		target := front[int(c)*order : (int(c)+1)*order]
		rows := to[j:][:len(column)]
		for t, v := range column {
			target[rows[t]] += v
		}
	}
}

// factorFront eliminates what it can of the candidates, the first variables of a
// front, and returns how many these are: the first columns of front are those of
// L then, and the others what is passed on.
func (l *LDL) factorFront(front []float64, order, candidates int, vars []int32) (k int) {
	w := &l.work
	w.x, w.y = resize(w.x, order), resize(w.y, order)
	w.coefficients = resize(w.coefficients, 2*order)
	base := len(l.d)
	panel := ldlPanel
	if candidates <= panel { // all are in the cache
		panel = 1
	}
	now := candidates // columns that follow each panel
	if order <= ldlSmall {
		now = order
	}
	start := 0 // columns from k on are up to date with the pivots before start
	for k < candidates {
		pivots := l.eliminateOne(front, order, candidates, start, k, base, vars)
		k += pivots
		if pivots == 0 && k == start {
			break
		}
		if pivots == 0 || k-start >= panel {
			l.update(front, order, start, k, k, now, base)
			start = k
		}
	}
	l.update(front, order, 0, k, now, order, base)
	return k
}

// eliminateOne finds a pivot among the candidates from k on, brings it to k, and
// computes its columns of L. It returns the order of the pivot, 0 if none is good
// enough: its columns must have no element beyond 1/Threshold.
func (l *LDL) eliminateOne(front []float64, order, candidates, start, k, base int, vars []int32) int {
	if start == k && l.leading(front, order, k) {
		return 1
	}
	w := &l.work
	for q := k; q < candidates; q++ {
		x := l.column(w.x, front, order, start, k, q, base)
		atQ := q - k
		a := x[atQ]
		inside := max(largest(x[:atQ]), largest(x[atQ+1:candidates-k]))
		below := largest(x[candidates-k:])
		all := max(inside, below)
		switch {
		case max(math.Abs(a), all) <= ldlZero:
			l.swap(front, order, k, q, vars)
			l.zero = append(l.zero, int(l.order[vars[k]]))
			l.least = 0
			l.d, l.e = append(l.d, 0), append(l.e, 0)
			clear(front[k*order+k : (k+1)*order])
			return 1
		case math.Abs(a) >= l.threshold*all && finite(a):
			l.single(front, order, k, q, x, vars)
			return 1
		}
		r := 0 // the largest candidate beside q
		for r < candidates-k && (r == atQ || math.Abs(x[r]) != inside) {
			r++
		}
		if inside == 0 || r == candidates-k {
			continue
		}

		y := l.column(w.y, front, order, start, k, k+r, base)
		b, c := x[r], y[r]
		xRest, yRest := below, largest(y[candidates-k:])
		for t := range candidates - k {
			if t != atQ && t != r {
				xRest, yRest = max(xRest, math.Abs(x[t])), max(yRest, math.Abs(y[t]))
			}
		}
		if !finite(yRest) || !finite(xRest) {
			continue
		}
		// The elements of L are those of the rest times the inverse of the pivot. One
		// whose determinant may come out with the wrong sign has a good c.
		det := float64(a*c) - float64(b*b)
		limit := math.Abs(det) / l.threshold
		if math.Abs(a*c) <= b*b/2 &&
			float64(math.Abs(c)*xRest)+float64(math.Abs(b)*yRest) <= limit &&
			float64(math.Abs(b)*xRest)+float64(math.Abs(a)*yRest) <= limit {
			l.double(front, order, k, q, k+r, x, y, vars)
			return 2
		}
		if math.Abs(c) >= l.threshold*max(yRest, math.Abs(b)) {
			l.single(front, order, k, k+r, y, vars)
			return 1
		}
	}
	return 0
}

// leading eliminates variable k of a front by a pivot of order 1, if it is good
// enough and its column up to date, where it stands.
func (l *LDL) leading(front []float64, order, k int) bool {
	x := front[k*order+k : (k+1)*order]
	a, all := math.Abs(x[0]), largest(x[1:])
	if !(a >= l.threshold*all && a > ldlZero && finite(a)) {
		return false
	}
	pivot := x[0]
	for t := range x {
		x[t] /= pivot
	}
	l.countSingle(pivot)
	return true
}

// single eliminates variable q of a front, whose column from row k on is x.
func (l *LDL) single(front []float64, order, k, q int, x []float64, vars []int32) {
	l.swap(front, order, k, q, vars)
	x[0], x[q-k] = x[q-k], x[0]
	pivot := x[0]
	to := front[k*order+k:][:len(x)]
	for t, v := range x {
		to[t] = v / pivot
	}
	l.countSingle(pivot)
}

// countSingle puts a pivot of order 1 in D.
func (l *LDL) countSingle(pivot float64) {
	l.d, l.e = append(l.d, pivot), append(l.e, 0)
	l.least = min(l.least, math.Abs(pivot))
	if pivot > 0 {
		l.positive++
	} else {
		l.negative++
	}
}

// double eliminates variables q and r, whose columns from row k on are x and y, by
// a pivot of order 2 with a negative determinant.
func (l *LDL) double(front []float64, order, k, q, r int, x, y []float64, vars []int32) {
	l.swap(front, order, k, q, vars)
	x[0], x[q-k] = x[q-k], x[0]
	y[0], y[q-k] = y[q-k], y[0]
	if r == k {
		r = q
	}
	l.swap(front, order, k+1, r, vars)
	x[1], x[r-k] = x[r-k], x[1]
	y[1], y[r-k] = y[r-k], y[1]
	p := pivot2{x[0], x[1], y[1]}
	first, second := front[k*order+k:][:len(x)], front[(k+1)*order+k:][:len(x)]
	for t := 2; t < len(x); t++ {
		first[t], second[t] = p.solve(x[t], y[t])
	}
	first[1] = 0 // L has the identity beside the pivot
	l.d, l.e = append(l.d, p.a, p.c), append(l.e, p.b, 0)
	l.least = min(l.least, math.Abs(p.b)) // ac is half of b² at most
	l.positive++
	l.negative++
}

// pivot2 is the matrix [a b; b c].
type pivot2 struct{ a, b, c float64 }

// solve returns the solution for the right-hand side [s; t], scaled so that
// nothing overflows.
func (p pivot2) solve(s, t float64) (x, y float64) {
	a, c := p.a/p.b, p.c/p.b
	f := 1 / (float64(a*c) - 1) / p.b
	return f * (float64(c*s) - t), f * (float64(a*t) - s)
}

// swap exchanges variables k ≤ q of a front, neither eliminated.
func (l *LDL) swap(front []float64, order, k, q int, vars []int32) {
	if k == q {
		return
	}
	vars[k], vars[q] = vars[q], vars[k]
	at := func(row, column int) *float64 { return &front[column*order+row] }
	exchange := func(a, b *float64) { *a, *b = *b, *a }
	for j := range k {
		exchange(at(k, j), at(q, j))
	}
	for i := k + 1; i < q; i++ {
		exchange(at(i, k), at(q, i))
	}
	for i := q + 1; i < order; i++ {
		exchange(at(i, k), at(i, q))
	}
	exchange(at(k, k), at(q, q))
}

// column sets x to column q of a front from row k on, up to date with the pivots
// from start to k.
func (l *LDL) column(x, front []float64, order, start, k, q, base int) []float64 {
	x = x[:order-k]
	for i := k; i < q; i++ {
		x[i-k] = front[i*order+q]
	}
	copy(x[q-k:], front[q*order+q:(q+1)*order])
	u := l.work.coefficients[:k-start]
	l.rowOfDL(u, front, order, start, q, base)
	subtractColumns(x, u, front[start*order+k:], order)
	return x
}

// fourColumns returns columns j to j+3 of a front from row k on.
func fourColumns(front []float64, order, j, k int) (a, b, c, d []float64) {
	column := func(j int) []float64 { return front[j*order+k : (j+1)*order] }
	return column(j), column(j + 1), column(j + 2), column(j + 3)
}

// rowOfDL sets u to the elements of DLᵀ in column q, for the pivots from j on.
func (l *LDL) rowOfDL(u, front []float64, order, j, q, base int) {
	d, e := l.d[base+j:][:len(u)], l.e[base+j:][:len(u)]
	for t := 0; t < len(u); t++ {
		v := front[(j+t)*order+q]
		if e[t] == 0 {
			u[t] = d[t] * v
			continue
		}
		next := front[(j+t+1)*order+q]
		u[t] = float64(d[t]*v) + float64(e[t]*next)
		u[t+1] = float64(e[t]*v) + float64(d[t+1]*next)
		t++
	}
}

// update subtracts from the columns lo to hi of a front what the pivots from j to
// k contribute, two columns and four pivots at a time.
func (l *LDL) update(front []float64, order, j, k, lo, hi, base int) {
	const block = 32 // pivots whose columns stay in the cache
	for j < k {
		end := min(j+block, k)
		if end < k && l.e[base+end-1] != 0 {
			end++
		}
		count := end - j
		if count == 1 {
			subtractOne(front, order, j, lo, hi, l.d[base+j])
			j = end
			continue
		}
		u, v := l.work.coefficients[:count], l.work.coefficients[count:][:count]
		for c := lo; c < hi; c += 2 {
			l.rowOfDL(u, front, order, j, c, base)
			// The diagonal of the first, then both from row c+1 on.
			x := front[c*order+c : (c+1)*order]
			for t, u := range u {
				x[0] -= float64(u * front[(j+t)*order+c])
			}
			if x = x[1:]; c+1 == hi {
				for t, u := range u {
					floats.AddScaled(x, -u, front[(j+t)*order+c+1:(j+t+1)*order])
				}
				continue
			}
			l.rowOfDL(v, front, order, j, c+1, base)
			y := front[(c+1)*order+c+1 : (c+2)*order]
			t := 0
			for ; t+4 <= count; t += 4 {
				l0, l1, l2, l3 := fourColumns(front, order, j+t, c+1)
				subtractFour(x, y, l0, l1, l2, l3, u[t:], v[t:])
			}
			for ; t+2 <= count; t += 2 {
				a, b := front[(j+t)*order+c+1:(j+t+1)*order], front[(j+t+1)*order+c+1:(j+t+2)*order]
				subtractTwo(x, y, a, b, u[t:], v[t:])
			}
			if t < count {
				column := front[(j+t)*order+c+1 : (j+t+1)*order]
				floats.AddScaled(x, -u[t], column)
				floats.AddScaled(y, -v[t], column)
			}
		}
		j = end
	}
}

// subtractOne subtracts from the columns lo to hi of a front what a pivot d of
// order 1 in column j contributes.
func subtractOne(front []float64, order, j, lo, hi int, d float64) {
	column := front[j*order : (j+1)*order]
	for c := lo; c < hi; c++ {
		x := front[c*order+c : (c+1)*order]
		a := column[c:][:len(x)]
		u := d * a[0]
		for t := range x {
			x[t] -= float64(u * a[t])
		}
	}
}

// subtractTwo subtracts u₀a + u₁b from x, and that with v from y.
func subtractTwo(x, y, a, b, u, v []float64) {
	u0, u1 := u[0], u[1]
	v0, v1 := v[0], v[1]
	y, a, b = y[:len(x)], a[:len(x)], b[:len(x)]
	for t := range x {
		a, b := a[t], b[t]
		x[t] -= float64(u0*a) + float64(u1*b)
		y[t] -= float64(v0*a) + float64(v1*b)
	}
}

// subtractFour subtracts u₀a + u₁b + u₂c + u₃d from x, and that with v from y.
func subtractFour(x, y, a, b, c, d, u, v []float64) {
	u0, u1, u2, u3 := u[0], u[1], u[2], u[3]
	v0, v1, v2, v3 := v[0], v[1], v[2], v[3]
	y, a, b, c, d = y[:len(x)], a[:len(x)], b[:len(x)], c[:len(x)], d[:len(x)]
	for t := range x {
		a, b, c, d := a[t], b[t], c[t], d[t]
		x[t] -= float64(u0*a) + float64(u1*b) + float64(u2*c) + float64(u3*d)
		y[t] -= float64(v0*a) + float64(v1*b) + float64(v2*c) + float64(v3*d)
	}
}
