package terms

import (
	"slices"

	"github.com/hesse-ad/hesse/sparsity"
)

// Hessian plans the sparse Hessian.
func (pl *Plan) Hessian() *Hessian {
	h := &Hessian{Plan: pl}
	// Entries of all shapes, the lower half of the matrix: a list of rows and
	// one of columns for each entry of each shape.
	n := pl.inputs
	count := make([]int32, n+1)
	type entry struct{ row, col []int32 }
	var entries []entry
	codes := pl.code(variant{ord: second})
	buf := make([][]int32, 0)
	total := 0
	for k, s := range pl.shapes {
		buf = buf[:0]
		for j := range s.vars {
			buf = append(buf, s.vars[j].expand(make([]int32, 0, s.terms)))
		}
		for _, r := range codes[k].sinks {
			if r.what != toHessian {
				continue
			}
			e := entry{make([]int32, s.terms), make([]int32, s.terms)}
			a, b := buf[r.a][:s.terms], buf[r.b][:s.terms]
			for t, i := range a {
				j := b[t]
				if i < j {
					i, j = j, i
				}
				e.row[t], e.col[t] = i, j
				count[i+1]++
			}
			total += s.terms
			entries = append(entries, e)
		}
	}
	for i := range n {
		count[i+1] += count[i]
	}
	// Columns by row; then each entry knows its place there.
	next := slices.Clone(count[:n])
	cols := make([]int32, total)
	for _, e := range entries {
		for t, i := range e.row {
			at := next[i]
			next[i]++
			cols[at] = e.col[t]
			e.row[t] = at
		}
	}
	// Each column once, in order; the lower half of the pattern.
	lptr := make([]int32, n+1)
	lidx := make([]int32, 0, total)
	stamp := make([]int32, n)
	place := make([]int32, n)
	upper := make([]int32, n+1) // entries above the diagonal, by row
	for i := range n {
		row := cols[count[i]:count[i+1]]
		lo := len(lidx)
		for _, j := range row {
			if stamp[j] != int32(i)+1 {
				stamp[j] = int32(i) + 1
				lidx = append(lidx, j)
			}
		}
		slices.Sort(lidx[lo:])
		for k, j := range lidx[lo:] {
			place[j] = int32(lo + k)
			if int(j) < i {
				upper[j+1]++
			}
		}
		for k, j := range row {
			row[k] = place[j]
		}
		lptr[i+1] = int32(len(lidx))
	}
	// The full pattern: row i has its lower half, then the mirrored one.
	ptr := make([]int32, n+1)
	for i := range n {
		ptr[i+1] = ptr[i] + lptr[i+1] - lptr[i] + upper[i+1]
	}
	idx := make([]int32, ptr[n])
	full := place[:0:0]
	full = make([]int32, len(lidx))
	for i := range n {
		k := copy(idx[ptr[i]:], lidx[lptr[i]:lptr[i+1]])
		next[i] = ptr[i] + int32(k)
	}
	mirror := make([]int32, len(lidx)) // place of the mirror image, −1 on the diagonal
	for i := range n {
		for k := lptr[i]; k < lptr[i+1]; k++ {
			full[k] = ptr[i] + k - lptr[i]
			mirror[k] = -1
			if j := lidx[k]; int(j) < i {
				idx[next[j]] = int32(i)
				mirror[k] = next[j]
				next[j]++
			}
		}
	}
	h.pattern = sparsity.NewPattern(n, n, ptr, idx)
	var up, low []int32
	h.places = make([][]list, len(pl.shapes))
	at := 0
	for k := range pl.shapes {
		for _, r := range codes[k].sinks {
			if r.what != toHessian {
				continue
			}
			e := entries[at]
			at++
			for t, c := range e.row {
				l := cols[c]
				e.row[t] = full[l]
				if mirror[l] >= 0 {
					up, low = append(up, mirror[l]), append(low, full[l])
					mirror[l] = -1
				}
			}
			h.places[k] = append(h.places[k], newList(e.row))
		}
	}
	h.upper, h.lower = newList(up), newList(low)
	return h
}

// Eval computes the outputs, the gradient and the values.
func (h *Hessian) Eval(values, y, g, x, params, w []float64) {
	h.eval(variant{ord: second, weighted: w != nil}, &arrays{x: x, params: params, w: w, y: y, g: g, values: values, places: h.places})
	var buf [maxLanes]float64
	for lo := 0; lo < h.upper.n; lo += maxLanes {
		b := buf[:min(maxLanes, h.upper.n-lo)]
		h.lower.gather(b, values, lo)
		h.upper.assign(values, b, lo)
	}
}

// Pattern is the pattern of the matrix.
func (h *Hessian) Pattern() *sparsity.Pattern { return h.pattern }
