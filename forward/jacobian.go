package forward

import (
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
)

const (
	noVariables = "forward: x is empty"
	noOutputs   = "forward: f has no outputs"
	noGroups    = "forward: no groups"
	badJVP      = "forward: len(dst) is not the number of outputs"
	badRows     = "forward: rows of dst are not the number of outputs"
	badCols     = "forward: columns of dst are not those of the result"
	badOutputs  = "forward: the number of outputs changed between evaluations"
	badColumn   = "forward: group names a column out of range"
	twice       = "forward: group names a column twice"
)

// JVP stores J·v, the product of the m×n Jacobian of f at x with v, in dst of
// length m and returns it; nil allocates it, and it may overlap x and v. JVP
// panics if f is nil or has no outputs, or a length does not fit. It is one
// evaluation of f.
func JVP(dst []float64, f func(x []dual.Number) []dual.Number, x, v []float64) []float64 {
	if f == nil {
		panic(badFunc)
	}
	a := along(x, v)
	y := f(a.z)
	if len(y) == 0 {
		panic(noOutputs)
	}
	if dst == nil {
		dst = make([]float64, len(y))
	}
	if len(dst) != len(y) {
		panic(badJVP)
	}
	for i := range dst {
		dst[i] = y[i].D
	}
	arguments.Put(a) // y may be part of it
	return dst
}

// Jacobian stores the m×n Jacobian J of f at x, Jᵢⱼ = ∂fᵢ/∂xⱼ, in dst and
// returns it; nil allocates it, as does an empty matrix, and its data may overlap x. Jacobian
// panics if f is nil, has no variables or outputs, or not the same number of outputs each
// time, or if dst is not m×n. It is ⌈n/3⌉ evaluations of f.
func Jacobian(dst *mat.Dense, f func(x []dual.Number3) []dual.Number3, x []float64) *mat.Dense {
	if len(x) == 0 {
		panic(noVariables)
	}
	return product(dst, f, x, len(x), func(z []dual.Number3, j int) { z[j].SetDerivative(j%lanes, 1) })
}

// Compressed stores the m×len(groups) matrix B = J·S, column c of which is the
// sum of the columns of the Jacobian in groups[c], in dst and returns it. If no
// two columns of a group have a nonzero in the same row, the classes of a column
// coloring, then B holds every entry of the columns in groups. A group may be
// empty, and a column may be in several groups or in none.
//
// Nil, aliasing and panics are those of Jacobian; Compressed also panics if
// there are no groups, and if a group names a column that is out of range or
// names one twice. It is ⌈len(groups)/3⌉ evaluations of f.
//
// Source: Curtis, Powell, Reid, On the estimation of sparse Jacobian matrices,
// 1974.
func Compressed(dst *mat.Dense, f func(x []dual.Number3) []dual.Number3, x []float64, groups [][]int) *mat.Dense {
	if len(groups) == 0 {
		panic(noGroups)
	}
	for _, g := range groups {
		for _, j := range g {
			if j < 0 || j >= len(x) {
				panic(badColumn)
			}
		}
	}
	return product(dst, f, x, len(groups), func(z []dual.Number3, c int) {
		for _, j := range groups[c] {
			if z[j].Derivative(c%lanes) != 0 {
				panic(twice)
			}
			z[j].SetDerivative(c%lanes, 1)
		}
	})
}

// product stores J·S in dst, where seed adds column c of the n×k matrix S to the
// derivative c mod 3 of z, which is 0.
func product(dst *mat.Dense, f func(x []dual.Number3) []dual.Number3, x []float64, k int, seed func(z []dual.Number3, c int)) *mat.Dense {
	if f == nil {
		panic(badFunc)
	}
	if dst == nil {
		dst = new(mat.Dense)
	}
	if !dst.IsEmpty() && dst.RawMatrix().Cols != k {
		panic(badCols)
	}
	a := constants(x)
	m := 0
	for c := 0; c < k; c += lanes {
		copy(a.z, a.x0)
		end := min(c+lanes, k)
		for c := c; c < end; c++ {
			seed(a.z, c)
		}
		y := f(a.z)
		if c == 0 {
			m = len(y)
			if m == 0 {
				panic(noOutputs)
			}
			if dst.IsEmpty() {
				dst.ReuseAs(m, k)
			}
			if dst.RawMatrix().Rows != m {
				panic(badRows)
			}
		}
		if len(y) != m {
			panic(badOutputs)
		}
		raw := dst.RawMatrix()
		for i := range y {
			row := raw.Data[i*raw.Stride:]
			for c := c; c < end; c++ {
				row[c] = y[i].Derivative(c % lanes)
			}
		}
	}
	threes.Put(a)
	return dst
}
