// Package refused has functions whose gradients are not written: each mark stands before
// the position that is named, and has a part of what is said.
package refused

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"sync"
	"unsafe"
)

func deferred(x []float64) float64 {
	s := x[0]
	/*!defer of a call*/ defer fmt.Println("done")
	return s
}

func recovers(x []float64) (s float64) {
	defer func() { /*!recovers from a panic*/ recover() }()
	return x[0]
}

func deferredResult(x []float64) float64 {
	s := x[0]
	/*!defer of a function with results*/ defer func() int { return 1 }()
	return s
}

func changesInputs(x []float64) float64 {
	x[0] = 2
	return x[0] * x[1]
}

func appendsToInputs(x []float64) float64 {
	y := append(x[:1], 2)
	return y[1] * x[1]
}

type model struct {
	w     []float64
	scale float64
}

func changesModel(x []float64, m *model) float64 {
	s := x[0] * m.w[0]
	m.w[0] = 2
	return s
}

func fillsModel(x []float64, m *model) float64 {
	/*!passive parameter m*/ m.w[0] = x[0]
	return x[0]
}

func gotos(x []float64) float64 {
	s := x[0]
	if s < 1 {
		/*!goto*/ goto done
	}
	s *= 2
done:
	return s
}

func goroutine(x []float64) float64 {
	s := x[0]
	done := make(chan bool)
	/*!goroutine*/ go func() { done <- true }()
	<-done
	return s
}

func works(x []float64) float64 {
	var group sync.WaitGroup
	s := 0.0
	/*!goroutine*/ go func() { s += x[0] }()
	group.Wait()
	return s
}

func sends(x []float64) float64 {
	c := make(chan float64, 1)
	c /*!channel cannot carry*/ <- x[0]
	return 1
}

func sendsPassive(x []float64) float64 {
	c := make(chan int, 1)
	/*!a channel*/ c <- 1
	return x[0]
}

func receivesOk(x []float64) float64 {
	c := make(chan float64, 1)
	v, ok := /*!value with ok*/ <-c
	if !ok {
		return x[0]
	}
	return v * x[1]
}

func rangesOverChannel(x []float64) float64 {
	s := x[0]
	c := make(chan float64)
	/*!range over this type*/ for v := range c {
		s *= v
	}
	return s
}

func selects(x []float64) float64 {
	/*!select*/ select {
	default:
	}
	return x[0]
}

func typeSwitch(x []float64) float64 {
	var v any = 1
	/*!switch on types*/ switch v.(type) {
	case int:
		return x[0]
	}
	return x[1]
}

func asserts(x []float64) float64 {
	var v any = 1.5
	w, ok := /*!value with ok*/ v.(float64)
	if ok {
		return w * x[0]
	}
	return x[1]
}

var total float64

func global(x []float64) float64 {
	/*!package variable total*/ total = x[0]
	return total
}

func setsGlobal(x []float64) float64 {
	s := x[0] * total
	/*!variable of the package*/ total = 2
	return s
}

func anys(x []float64) float64 {
	fmt.Println( /*!interface*/ x[0])
	return x[0]
}

func sorts(x []float64) float64 {
	y := make([]float64, len(x))
	copy(y, x)
	sort.Sort( /*!interface*/ sort.Float64Slice(y))
	return y[0]
}

type shape interface{ area(r float64) float64 }

type round struct{}

func (round) area(r float64) float64 { return math.Pi * r * r }

func interfaces(x []float64) float64 {
	var s shape = round{}
	return /*!method of an interface*/ s.area(x[0])
}

func fmas(x []float64) float64 { return /*!math.FMA*/ math.FMA(x[0], x[1], x[2]) }

func bits(x []float64) float64 { return float64( /*!math.Float64bits*/ math.Float64bits(x[0])) }

func next(x []float64) float64 { return /*!math.Nextafter*/ math.Nextafter(x[0], 1) }

func formats(x []float64) float64 {
	return float64(len( /*!become a float32*/ strconv.FormatFloat(x[0], 'g', -1, 64))) * x[0]
}

func singles(x []float64) float64 { return float64( /*!become a float32*/ float32(x[0])) }

func complexes(x []float64) float64 { return real( /*!complex numbers*/ complex(x[0], x[1])) }

func addresses(x []float64) float64 {
	y := []float64{x[0]}
	return *(*float64)(unsafe.Pointer( /*!unsafe pointers*/ &y[0]))
}

func prints(x []float64) float64 {
	/*!given to print*/ print(x[0])
	return x[0]
}

func panics(x []float64) float64 {
	if x[0] < 0 {
		/*!given to panic*/ panic(x[0])
	}
	return x[0]
}

func keys(x []float64) float64 {
	m := map[float64]int{}
	m[ /*!key of a map*/ x[0]] = 1
	return x[0]
}

func mapOfModels(x []float64) float64 {
	m := /*!a map of structs*/ map[int]model{0: {w: x}}
	return m[0].w[1]
}

func clearsMap(x []float64) float64 {
	m := map[int]float64{1: x[0]}
	/*!clear of a map*/ clear(m)
	return m[1]
}

func clearsModels(x []float64) float64 {
	m := []model{{w: x}}
	/*!clear of structs*/ clear(m)
	return x[0]
}

func changedLoopVariable(x []float64) float64 {
	var f []func() float64
	/*!loop variable that is changed*/ for i := 0; i < 3; i++ {
		f = append(f, func() float64 { return x[i] })
		i++
	}
	return f[0]()
}

func indexed(x []float64) float64 {
	y := make([]float64, 3)
	i := 0
	i,
		/*!its index*/ y[i] = 1, x[i]+float64(i)
	return y[0] + y[i]
}

type scaled struct{ v float64 }

func (s *scaled) twice() float64 {
	s.v *= 2
	return s.v
}

func orderOfReading(x []float64) float64 {
	s := &scaled{x[0]}
	return s.v * /*!Go does not say which comes first*/ s.twice()
}

func orderOfVariable(x []float64) float64 {
	t := x[0]
	double := func() float64 { t *= 2; return t }
	return t * /*!Go does not say which comes first*/ double()
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

func functionParameter(x []float64, f func(float64) float64) float64 {
	return f( /*!passive parameter f*/ x[0])
}

type layer struct {
	w   []float64
	act func(float64) float64
}

func functionField(x []float64, l *layer) float64 {
	return l.act( /*!passive parameter l*/ x[0])
}

func copiesText(x []float64) float64 {
	b := make([]byte, 3)
	/*!copy of a string*/ copy(b, "abc")
	return x[0] * float64(b[0])
}

func two(x []float64) (float64, float64) { return x[0], x[1] }
