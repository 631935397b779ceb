package plain

import "math"

// A network has layers of as many units as a character has bits. Each unit is connected to
// the same unit of the layer before.
type network struct {
	layers, bits, characters int
	start                    []float64 // for each layer its hidden values, its cells
	text                     []float64 // characters by rows
}

// lstm is the loss of predicting each character from those before. For each layer the
// variables are the weights, then the biases, of its forget, input and output gates and its
// change; then the weights of the input, the weights and the biases of the output.
func lstm(x []float64, n *network) float64 {
	b, at := n.bits, 8*n.layers*n.bits
	main, extra := x[:at], x[at:]
	state := make([]float64, len(n.start))
	copy(state, n.start)
	pred := make([]float64, b)
	total := 0.0
	for t := range n.characters - 1 {
		predict(pred, main, extra, state, n.text[t*b:(t+1)*b], n)
		norm := 2.0
		for _, v := range pred {
			norm += math.Exp(v)
		}
		norm = math.Log(norm)
		next := n.text[(t+1)*b : (t+2)*b]
		for i := range pred {
			total += next[i] * (pred[i] - norm)
		}
	}
	return -total / float64(b*(n.characters-1))
}

func predict(pred, main, extra, state, input []float64, n *network) {
	b := n.bits
	for i := range pred {
		pred[i] = input[i] * extra[i]
	}
	below := pred
	for l := range n.layers {
		layer(main[l*8*b:l*8*b+4*b], main[l*8*b+4*b:(l+1)*8*b], state[l*2*b:l*2*b+b], state[l*2*b+b:(l+1)*2*b], below)
		below = state[l*2*b : l*2*b+b]
	}
	for i := range pred {
		pred[i] = below[i]*extra[b+i] + extra[2*b+i]
	}
}

func layer(weight, bias, hidden, cell, input []float64) {
	b := len(hidden)
	for i := range hidden {
		forget := sigmoid(input[i]*weight[i] + bias[i])
		in := sigmoid(hidden[i]*weight[b+i] + bias[b+i])
		out := sigmoid(input[i]*weight[2*b+i] + bias[2*b+i])
		change := math.Tanh(hidden[i]*weight[3*b+i] + bias[3*b+i])
		cell[i] = cell[i]*forget + in*change
		hidden[i] = out * math.Tanh(cell[i])
	}
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
