// Package refused has functions whose gradients are not written: each mark stands before
// the position that is named, and has a part of what is said.
package refused

import (
	"fmt"
	"math"
)

func deferred(x []float64) float64 {
	s := x[0]
	/*!defer*/ defer fmt.Println("done")
	return s
}

func closure(x []float64) float64 {
	f := /*!function literal*/ func(v float64) float64 { return v * v }
	return f(x[0])
}

func appending(x []float64) float64 {
	var y []float64
	y = /*!append*/ append(y, x[0])
	return y[0]
}

func maps(x []float64) float64 {
	/*!a map*/ m := map[string]float64{"a": x[0]}
	return m["a"]
}

func changesInputs(x []float64) float64 {
	x[0] = 2
	return x[0] * x[1]
}

func address(x []float64) float64 {
	a := x[0]
	p := /*!address of a variable*/ &a
	return *p
}

func sliceOfArray(x []float64) float64 {
	a := [2]float64{x[0], x[1]}
	b := /*!slice of an array*/ a[:]
	return b[0]
}

func sincos(x []float64) float64 {
	s, c := /*!math.Sincos*/ math.Sincos(x[0])
	return s * c
}

func variadic(x []float64) float64 { return /*!variadic*/ sum(x...) }

func sum(x ...float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

func named(x []float64) ( /*!results that have names*/ s float64) {
	s = x[0]
	return s
}

func gotos(x []float64) float64 {
	s := x[0]
again:
	s *= 2
	if s < 1 {
		/*!goto*/ goto again
	}
	return s
}

func breakOfSwitch(x []float64) float64 {
	s := x[0]
	switch {
	case s > 1:
		if s > 2 {
			/*!break*/ break
		}
		s *= 2
	}
	return s
}

func falls(x []float64) float64 {
	s := x[0]
	switch {
	case s > 1:
		s *= 2
		/*!fallthrough*/ fallthrough
	default:
		s *= 3
	}
	return s
}

func generic(x []float64) float64 { return twice(x[0]) }

func /*!generic*/ twice[T float64](x T) T { return 2 * x }

func rangeOverMap(x []float64) float64 {
	s := 0.0
	/*!range over this type*/ for k := range map[int]bool{1: true} {
		s += x[k]
	}
	return s
}

func goroutine(x []float64) float64 {
	s := x[0]
	done := make(chan bool)
	/*!goroutine*/ go func() { done <- true }()
	<-done
	return s
}

type model struct{ w []float64 }

func structByValue(x []float64) float64 {
	/*!by value*/ m := model{x}
	return m.w[0]
}

var total float64

func global(x []float64) float64 {
	/*!package variable total*/ total = x[0]
	return total
}

func anys(x []float64) float64 {
	fmt.Println( /*!interface*/ x[0])
	return x[0]
}

func functionValue(x []float64) float64 {
	/*!function value*/ f := math.Sin
	return f(x[0])
}

func returnsCall(x []float64) float64 {
	a, b := two(x)
	return a * b
}

func two(x []float64) (float64, float64) { /*!results of a call*/ return pair(x) }

func pair(x []float64) (float64, float64) { return x[0], x[1] }

func fmas(x []float64) float64 { return /*!math.FMA*/ math.FMA(x[0], x[1], x[2]) }

type scaled struct{ v float64 }

func (s *scaled) double() { s.v *= 2 }

func implicitAddress(x []float64) float64 {
	s := scaled{x[0]}
	/*!takes the address*/ s.double()
	return s.v
}

type outer struct{ scaled }

func (s scaled) square() float64 { return s.v * s.v }

func embedded(x []float64) float64 {
	o := outer{scaled{x[0]}}
	return /*!embedded*/ o.square()
}

func threeMax(x []float64) float64 { return /*!max of other than two*/ max(x[0], x[1], x[2]) }

func rangeAssigns(x []float64) float64 {
	s, i := 0.0, 0
	/*!assigns to variables*/ for i = range x {
		s += x[i]
	}
	return s + float64(i)
}

func rangeOverString(x []float64) float64 {
	s := 0.0
	/*!range over a string*/ for i := range "abc" {
		s += x[i]
	}
	return s
}

func localType(x []float64) float64 {
	/*!type declared*/ type number struct{ v float64 }
	n := number{x[0]}
	return n.v
}

func changesItsArray(x []float64) float64 {
	a := [2]float64{x[0], x[1]}
	s := 0.0
	/*!array that the loop changes*/ for i, v := range a {
		a[1] = 3
		s += v * float64(i)
	}
	return s
}

func indexed(x []float64) float64 {
	y := make([]float64, 3)
	i := 0
	i,
		/*!its index*/ y[i] = 1, x[i]+float64(i)
	return y[0] + y[i]
}

func (s *scaled) twice() float64 {
	s.v *= 2
	return s.v
}

func orderOfReading(x []float64) float64 {
	s := &scaled{x[0]}
	return s.v * /*!Go does not say which comes first*/ s.twice()
}

type counts struct {
	weights []float64
	calls   int
}

func bump(c *counts) float64 {
	c.calls++
	c.weights[0]++
	return 1
}

func changedInAssignment(x []float64) float64 {
	c := &counts{weights: []float64{1, 2}}
	s := x[0] * c.weights[0]
	n := /*!may change what its caller's derivative reads*/ bump(c)
	return s * n
}

func changedInExpression(x []float64) float64 {
	c := &counts{weights: []float64{1, 2}}
	s := x[0] * c.weights[0]
	return s + x[1]*(1+ /*!may change what its caller's derivative reads*/ bump(c))
}
