package problems

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

const (
	rnnSteps   = 20
	rnnInputs  = 4
	rnnOutputs = 2
)

// rnnData are the hidden width H and the inputs of each step, u_tⱼ = cos(t+j).
type rnnData struct {
	hidden int
	inputs [rnnSteps][]float64
}

func newRNNData(hidden int) *rnnData {
	d := &rnnData{hidden: hidden}
	for t := range d.inputs {
		d.inputs[t] = start(rnnInputs, func(j float64) float64 { return math.Cos(float64(t) + j) })
	}
	return d
}

// weights cuts the variables into W (H×H), U (H×4) and V (2×H), each in rows.
func weights[T any](d *rnnData, x []T) (w, u, v []T) {
	h := d.hidden
	w, x = x[:h*h], x[h*h:]
	u, x = x[:h*rnnInputs], x[h*rnnInputs:]
	return w, u, x[:rnnOutputs*h]
}

// rnn is the loss ½|Vh|² of a recurrent network after 20 steps, the target
// being 0, in its weights x = (W, U, V):
//
//	h ← tanh(Wh + Uu_t),   h = 0 at first.
func rnn[T dual.Scalar[T]](d *rnnData, x []T) T {
	w, u, v := weights(d, x)
	n := d.hidden
	h, next := make([]T, n), make([]T, n)
	for _, in := range d.inputs {
		for i := range next {
			a := dual.Dot(w[i*n:(i+1)*n], h)
			b := dual.Affine(0, in, u[i*rnnInputs:(i+1)*rnnInputs])
			next[i] = a.Add(b).Tanh()
		}
		h, next = next, h
	}
	var loss T
	for i := range rnnOutputs {
		loss = loss.Add(dual.Dot(v[i*n:(i+1)*n], h).Square())
	}
	return loss.Scale(0.5)
}

// rnnScan is rnn as one loop with a state.
func rnnScan[T dual.Scalar[T]](d *rnnData, x []T) T {
	w, u, v := weights(d, x)
	n := d.hidden
	h, _ := dual.Scan(dual.Loop[T]{
		Start: make([]T, n), Shared: x[:len(w)+len(u)], Data: d.inputs[:],
		Step: func(h, x, _, in []T) (next, out []T) {
			w, u := x[:n*n], x[n*n:]
			for i := range h {
				next = append(next, dual.Dot(w[i*n:][:n], h).Add(dual.Dot(in, u[i*rnnInputs:][:rnnInputs])).Tanh())
			}
			return next, nil
		},
	})
	var loss T
	for i := range rnnOutputs {
		loss = loss.Add(dual.Dot(v[i*n:][:n], h).Square())
	}
	return loss.Scale(0.5)
}

// plain returns the loss as a plain function, which keeps its states between
// calls.
func (d *rnnData) plain() func(x []float64) float64 {
	n := d.hidden
	h, next := make([]float64, n), make([]float64, n)
	return func(x []float64) float64 {
		w, u, v := weights(d, x)
		clear(h)
		for _, in := range d.inputs {
			in = in[:rnnInputs]
			for i := range next {
				var a float64
				row := w[i*n:][:len(h)]
				for j, h := range h {
					a += row[j] * h
				}
				r := u[i*rnnInputs:][:rnnInputs]
				b := r[0]*in[0] + r[1]*in[1] + r[2]*in[2] + r[3]*in[3]
				next[i] = math.Tanh(a + b)
			}
			h, next = next, h
		}
		var loss float64
		for i := range rnnOutputs {
			var y float64
			row := v[i*n:][:len(h)]
			for j, h := range h {
				y += row[j] * h
			}
			loss += y * y
		}
		return loss * 0.5
	}
}

func (d *rnnData) start() []float64 {
	h := d.hidden
	return start(h*h+rnnInputs*h+rnnOutputs*h, func(k float64) float64 { return 0.2 * math.Sin(k+1) })
}
