package linsolve

import (
	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/sparsity"
)

// The inverse on a pattern (Takahashi, Fagan and Chin, Formation of a sparse bus impedance
// matrix and its application to short circuit study, PICA 1973; Erisman and Tinney, On
// computing certain elements of the inverse of a sparse matrix, Comm. ACM 18, 1975), by
// supernodes.
//
// Let J be the columns of a supernode and R the rows below. The diagonal block that is left
// when all before J is eliminated is F = L_JJ D_J L_JJᵀ, and with Y = L_RJ L_JJ⁻¹ the
// inverse Z has
//
//	Z_RJ = −Z_RR Y
//	Z_JJ = F⁻¹ − Yᵀ Z_RJ.
//
// R is part of the columns and rows of the parent, whose Z is known if supernodes are
// visited from the last to the first. A front is the full matrix of J and R, column by column.
//
// Along Ȧ the elimination has, from the first to the last, a front Ḟ of the entries of Ȧ and
// of what the children pass on, and from that
//
//	G = Ḟ_RJ − Y Ḟ_JJ, Ẏ = G F⁻¹
//	Ḟ_RR − G Yᵀ − Y Ḟ_RJᵀ, which is passed on,
//
// and the inverse
//
//	Ż_RJ = −Ż_RR Y − Z_RR Ẏ
//	Ż_JJ = −F⁻¹ Ḟ_JJ F⁻¹ − Ẏᵀ Z_RJ − Yᵀ Ż_RJ.

// Inverse returns the elements of (A + S)⁻¹ at the positions that A has, as the same
// triangle of the same pattern: its diagonal has the variances of a Gaussian density
// with this precision, or those of a least-squares solution, and all of it is the
// gradient of LogDet, that of an element beside the diagonal twice. It stores them in dst,
// which must have the pattern; nil allocates.
//
// Errors, with which dst is not touched: what Factorize returned if there is no
// factorization, *ConvergenceError if an element overflows. It panics if nothing was
// factorized or the pattern of dst differs. It does not allocate in steady state, and may
// run concurrently with solutions. Time is that of about two factorizations.
//
// Elements are right to about Cond roundings of the largest. Sources: see inverse.go.
func (c *Cholesky) Inverse(dst *sparsity.SymMatrix) (*sparsity.SymMatrix, error) {
	return c.inverse(dst, nil)
}

// InverseTangent returns the derivative of Inverse along da, at the positions that A has,
//
//	−(A + S)⁻¹ da (A + S)⁻¹,
//
// where da is the same triangle of the same pattern. It stores them in dst, which may be
// da; nil allocates. Errors and panics are those of Inverse. Time is that of some six to
// nine factorizations.
func (c *Cholesky) InverseTangent(dst, da *sparsity.SymMatrix) (*sparsity.SymMatrix, error) {
	c.checkPattern(da)
	return c.inverse(dst, da)
}

// inverseWork is the working memory of an inverse or its tangent.
type inverseWork struct {
	values []float64 // the result
	u      []float64 // coefficients
	y      []float64 // Y, and then Ẏ
	front  []float64 // Z, and then Ż, or Ḟ
	// The fronts that have children still to be visited, the last on top. In the
	// elimination: what was passed on, lower triangles column by column.
	stack []float64

	// Of the elimination along Ȧ: −Ḟ_JJ and then −G of each supernode.
	blocks []float64
}

// inverse is Inverse if da is nil, else InverseTangent.
func (c *Cholesky) inverse(dst, da *sparsity.SymMatrix) (*sparsity.SymMatrix, error) {
	checkFactorized(c.a)
	if dst != nil {
		c.checkPattern(dst)
	}
	if c.err != nil {
		return nil, c.err
	}
	w := c.inverses.take()
	if w == nil {
		w = new(inverseWork)
	}
	defer c.inverses.give(w)
	n := len(c.diagonal)
	w.values = resize(w.values, c.a.Triangle().NNZ())
	w.u = resize(w.u, 2*n)
	if da != nil {
		c.eliminateAlong(w, da.Triangle().Values())
	}
	c.invert(w, da != nil)
	if err := checkFinite(w.values, 1, len(w.values)); err != nil {
		return nil, err
	}
	if dst == nil {
		dst = sparsity.NewSymMatrix(sparsity.NewMatrix(c.a.Triangle().Pattern()))
	}
	copy(dst.Triangle().Values(), w.values)
	return dst, nil
}

// dims returns the numbers of columns and of rows below of supernode s, and their sum.
func (s *symbolic) dims(at int) (width, below, order int) {
	width, below = s.width(at), len(s.below(at))
	return width, below, width + below
}

// setY sets Y of supernode s, column by column.
func (c *Cholesky) setY(y []float64, s int) {
	width, below, _ := c.dims(s)
	for k := width - 1; k >= 0; k-- {
		at := int(c.first[s]) + k
		col := c.val[c.ptr[at]:c.ptr[at+1]]
		inside := col[:width-1-k]
		to := y[k*below : (k+1)*below]
		copy(to, col[len(inside):])
		subtractColumns(to, inside, y[(k+1)*below:], below)
	}
}

// eliminateAlong sets the blocks of the elimination along Ȧ.
func (c *Cholesky) eliminateAlong(w *inverseWork, da []float64) {
	w.blocks, w.stack = w.blocks[:0], w.stack[:0]
	for s := range c.supernodes() {
		width, below, order := c.dims(s)
		w.front = resize(w.front, order*order)
		front := w.front
		clear(front)
		for j := range width {
			k := int(c.first[s]) + j
			for t := c.aPtr[k]; t < c.aPtr[k+1]; t++ {
				front[j*order+int(c.aAt[t])] = da[c.aSrc[t]]
			}
		}
		for at := c.childPtr[s+1]; at > c.childPtr[s]; at-- {
			child := int(c.children[at-1])
			to := c.up[c.rowPtr[child]:c.rowPtr[child+1]]
			from := len(w.stack) - len(to)*(len(to)+1)/2
			extendAdd(front, order, w.stack[from:], to, 0)
			w.stack = w.stack[:from]
		}
		w.y = resize(w.y, below*width)
		c.setY(w.y, s)
		at := len(w.blocks)
		w.blocks = extend(w.blocks, width*order)
		f, g := w.blocks[at:][:width*width], w.blocks[at+width*width:]
		for j := range width {
			for i := j; i < width; i++ {
				f[j*width+i], f[i*width+j] = front[j*order+i], front[j*order+i]
			}
		}
		for j := range width {
			to := g[j*below : (j+1)*below]
			copy(to, front[j*order+width:])
			subtractColumns(to, f[j*width:(j+1)*width], w.y, below)
		}
		for t := range below {
			u, v := w.u[:width], w.u[width:2*width]
			for j := range width {
				u[j], v[j] = w.y[j*below+t], front[j*order+width+t]
			}
			x := front[(width+t)*order+width+t:][:below-t]
			subtractColumns(x, u, g[t:], below)
			subtractColumns(x, v, w.y[t:], below)
			w.stack = append(w.stack, x...)
		}
		floats.Scale(-1, w.blocks[at:])
	}
}

// invert sets the values of the inverse, or of its tangent.
func (c *Cholesky) invert(w *inverseWork, tangent bool) {
	w.stack = w.stack[:0]
	block := len(w.blocks)
	for s := c.supernodes() - 1; s >= 0; s-- {
		width, below, order := c.dims(s)
		square, side := order*order, below*width
		w.front, w.y = resize(w.front, 2*square), resize(w.y, 2*side)
		z, dz, y, dy := w.front[:square], w.front[square:], w.y[:side], w.y[side:]
		if p := c.parent[s]; p != none {
			_, _, above := c.dims(int(p))
			from := len(w.stack)
			if tangent {
				from -= above * above
				c.gather(dz, order, s, w.stack[from:], above)
			}
			from -= above * above
			c.gather(z, order, s, w.stack[from:], above)
			if int(c.children[c.childPtr[p]]) == s { // the last that needs it
				w.stack = w.stack[:from]
			}
		}
		c.setY(y, s)
		c.invertPivots(z, order, s)
		if tangent {
			block -= width * order
			f, g := w.blocks[block:][:width*width], w.blocks[block+width*width:]
			column := w.u[:width]
			for k := range width {
				fk := f[k*width : (k+1)*width]
				clear(column)
				subtractColumns(column, fk, z, order) // F⁻¹Ḟ
				copy(fk, column)
				clear(dy[k*below:][:below])
				subtractColumns(dy[k*below:][:below], z[k*order:][:width], g, below)
			}
			for k := range width {
				to := dz[k*order:][:width]
				clear(to)
				subtractColumns(to, z[k*order:][:width], f, width)
			}
		}
		subtractRR(z, z, order, width, y)
		subtractTransposed(z, order, width, y, z)
		result := z
		if tangent {
			subtractRR(dz, dz, order, width, y)
			subtractRR(dz, z, order, width, dy)
			subtractTransposed(dz, order, width, dy, z)
			subtractTransposed(dz, order, width, y, dz)
			result = dz
		}
		for j := range width {
			k := int(c.first[s]) + j
			for t := c.aPtr[k]; t < c.aPtr[k+1]; t++ {
				w.values[c.aSrc[t]] = result[j*order+int(c.aAt[t])]
			}
		}
		if c.childPtr[s] == c.childPtr[s+1] {
			continue
		}
		complete(z, order, width)
		w.stack = append(w.stack, z...)
		if tangent {
			complete(dz, order, width)
			w.stack = append(w.stack, dz...)
		}
	}
}

// gather sets the elements of a front of supernode s in R to those of its parent's front,
// and those in R and J to 0.
func (c *Cholesky) gather(front []float64, order, s int, from []float64, above int) {
	width := c.width(s)
	for j := range width {
		clear(front[j*order+width : (j+1)*order])
	}
	up := c.up[c.rowPtr[s]:c.rowPtr[s+1]]
	for j, k := range up {
		to, from := front[(width+j)*order+width:][:len(up)], from[int(k)*above:][:above]
		for t, i := range up {
			to[t] = from[i]
		}
	}
}

// invertPivots sets the elements of a front in J to F⁻¹.
func (c *Cholesky) invertPivots(front []float64, order, s int) {
	width := c.width(s)
	for j := width - 1; j >= 0; j-- {
		k := int(c.first[s]) + j
		l := c.val[c.ptr[k]:][:width-1-j]
		to := front[j*order+j+1:][:len(l)]
		if clear(to); len(l) > 0 {
			subtractColumns(to, l, front[(j+1)*order+j+1:], order)
		}
		front[j*order+j] = 1/c.diagonal[k] - floats.Dot(l, to)
		for t, v := range to {
			front[(j+1+t)*order+j] = v
		}
	}
}

// subtractRR subtracts the product of from in R and y from front in R and J.
func subtractRR(front, from []float64, order, width int, y []float64) {
	below := order - width
	if below == 0 {
		return
	}
	j := 0
	for ; j+2 <= width; j += 2 {
		a, b := front[j*order+width:][:below], front[(j+1)*order+width:][:below]
		u, v := y[j*below:][:below], y[(j+1)*below:][:below]
		t := 0
		for ; t+4 <= below; t += 4 {
			l0, l1, l2, l3 := fourColumns(from, order, width+t, width)
			subtractFour(a, b, l0, l1, l2, l3, u[t:], v[t:])
		}
		if t < below {
			rest := from[(width+t)*order+width:]
			subtractColumns(a, u[t:], rest, order)
			subtractColumns(b, v[t:], rest, order)
		}
	}
	if j < width {
		subtractColumns(front[j*order+width:][:below], y[j*below:][:below], from[width*order+width:], order)
	}
}

// subtractTransposed subtracts yᵀ times from in R and J from the lower triangle of front in J.
func subtractTransposed(front []float64, order, width int, y, from []float64) {
	below := order - width
	for j := range width {
		column := from[j*order+width:][:below]
		for i := j; i < width; i++ {
			front[j*order+i] -= floats.Dot(y[i*below:][:below], column)
		}
	}
}

// complete sets the elements above the diagonal of the first columns.
func complete(front []float64, order, width int) {
	for j := range width {
		for i := j + 1; i < order; i++ {
			front[i*order+j] = front[j*order+i]
		}
	}
}

// subtractColumns subtracts Σ u[j]·columns[j·stride:] from x.
func subtractColumns(x, u, columns []float64, stride int) {
	j := 0
	for ; j+4 <= len(u); j += 4 {
		a, b, c, d := columns[j*stride:][:len(x)], columns[(j+1)*stride:][:len(x)], columns[(j+2)*stride:][:len(x)], columns[(j+3)*stride:][:len(x)]
		u0, u1, u2, u3 := u[j], u[j+1], u[j+2], u[j+3]
		for t := range x {
			x[t] -= float64(u0*a[t]) + float64(u1*b[t]) + float64(u2*c[t]) + float64(u3*d[t])
		}
	}
	for ; j < len(u); j++ {
		floats.AddScaled(x, -u[j], columns[j*stride:][:len(x)])
	}
}
