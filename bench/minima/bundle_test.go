package minima

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

// project is where a camera with rotation vector c[:3], position of the world c[3:6] and
// focal length c[6] sees the point p: the model of Agarwal, Snavely, Seitz and Szeliski,
// Bundle adjustment in the large, ECCV 2010, without distortion.
func project[T dual.Scalar[T]](c, p []T) (x, y T) {
	angle2 := dual.Dot(c[:3], c[:3])
	angle := angle2.AddReal(1e-30).Sqrt()
	cos, sin := angle.Cos(), angle.Sin()
	axis := []T{c[0].Div(angle), c[1].Div(angle), c[2].Div(angle)}
	along := dual.Dot(axis, p).Mul(cos.RSub(1))
	q := make([]T, 3)
	for i := range q {
		j, k := (i+1)%3, (i+2)%3
		cross := axis[j].Mul(p[k]).Sub(axis[k].Mul(p[j]))
		q[i] = p[i].Mul(cos).Add(cross.Mul(sin)).Add(axis[i].Mul(along)).Add(c[3+i])
	}
	return c[6].Mul(q[0].Div(q[2])).Neg(), c[6].Mul(q[1].Div(q[2])).Neg()
}

// Synthetic cameras see points exactly, but for some observations that are far off: from
// a start nearby cameras and points come out such that all others fit, by a loss for
// outliers, in a world where six coordinates and the size are given by two cameras.
func TestBundleAdjustment(t *testing.T) {
	const cameras, points = 6, 40
	rnd := rand.New(rand.NewPCG(3, 4))
	truth := make([]float64, 7*cameras+3*points)
	for c := range cameras {
		angle := 0.2 * float64(c-cameras/2)
		copy(truth[7*c:], []float64{0.05 * rnd.NormFloat64(), angle, 0.02, 2 * math.Sin(angle), 0.1 * rnd.NormFloat64(), -8, 500})
	}
	for i := 7 * cameras; i < len(truth); i++ {
		truth[i] = rnd.Float64()*2 - 1
	}
	seen := make([][2]float64, 0, cameras*points)
	for c := range cameras {
		for p := range points {
			camera, point := numbers(truth[7*c:7*c+7]), numbers(truth[7*cameras+3*p:7*cameras+3*p+3])
			x, y := project(camera, point)
			seen = append(seen, [2]float64{x.V, y.V})
		}
	}
	outliers := map[int]bool{}
	for range 12 {
		k := rnd.IntN(len(seen))
		outliers[k] = true
		seen[k][0] += 100
	}
	f := reverse.NewFuncVec(func(v []reverse.Var) []reverse.Var {
		var r []reverse.Var
		for c := range cameras {
			for p := range points {
				x, y := project(v[7*c:7*c+7], v[7*cameras+3*p:7*cameras+3*p+3])
				r = append(r, x.SubReal(seen[c*points+p][0]), y.SubReal(seen[c*points+p][1]))
			}
		}
		return r
	})
	start := append([]float64(nil), truth...)
	lower, upper := all(len(truth), -inf, inf).split()
	for i := range start {
		if i < 14 {
			lower[i], upper[i] = truth[i], truth[i]
			continue
		}
		start[i] += 0.03 * rnd.NormFloat64()
	}
	for _, normal := range []bool{false, true} {
		o := newton.LeastSquares{Loss: newton.Cauchy(1), Block: 2, Normal: normal}
		r, err := o.Solve(context.Background(), newton.Problem{Func: f, Lower: lower, Upper: upper}, start)
		require.NoError(t, err)
		require.LessOrEqual(t, r.Factorizations, 2*r.Iterations, "of a textbook: one a step")
		residuals, err := f.Values(nil, r.X)
		require.NoError(t, err)
		for k := range seen {
			if !outliers[k] {
				require.InDelta(t, 0, residuals[2*k], 0.1)
				require.InDelta(t, 0, residuals[2*k+1], 0.1)
			}
		}
		require.InDeltaSlice(t, truth[7*cameras:], r.X[7*cameras:], 0.01)
	}
}

func numbers(v []float64) []dual.Number {
	out := make([]dual.Number, len(v))
	for i := range v {
		out[i] = dual.Number{V: v[i]}
	}
	return out
}
