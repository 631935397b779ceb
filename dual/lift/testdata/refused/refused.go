// Package refused has functions that cannot be lifted. What stands in the way is
// just behind a comment /*! words of the message */.
package refused

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/cmplx"
	"reflect"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/functions"

	"github.com/hesse-ad/hesse/dual/lift/testdata/lib"
)

type cache struct {
	last  float64
	all   []float64
	byKey map[string]float64
	any   any
	p     *float64
}

type shape interface{ Area(r float64) float64 }

type circle struct{}

func (circle) Area(r float64) float64 { return r * r }

type disc struct{ r float64 }

func (c disc) Area(r float64) float64 { return c.r * r }

var total float64
var history []float64
var config struct{ last float64 }
var table [3]float64
var hook = func(x float64) float64 { return x }

// SetHook changes hook.
func SetHook(f func(x float64) float64) { hook = f }

func goroutine(x []float64) float64 {
	y := x[0]
	/*!goroutine*/ go func() { y *= 2 }()
	return y
}

func goroutineArgument(x []float64) float64 {
	var s float64
	/*!goroutine*/ go func(v float64) { s += v }(x[0])
	return s
}

func goroutineOfFunction(x []float64) float64 {
	/*!goroutine*/ go square(x[0])
	return x[0]
}

func square(x float64) float64 { return x * x }

func waitGroup(x []float64) float64 {
	var wg sync.WaitGroup
	var part [2]float64
	for w := range part {
		wg.Go( /*!goroutine*/ func() { part[w] = 2 * x[w] })
	}
	wg.Wait()
	return part[0] + part[1]
}

func parallel(n int, body func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			body(i)
		}()
	}
	wg.Wait()
}

func goroutinesOfHelper(x []float64) float64 {
	var part [2]float64
	parallel(2 /*!goroutine*/, func(w int) { part[w] = 2 * x[w] })
	task := func(w int) { part[w] = 2 * x[w] }
	again := task
	parallel(2 /*!goroutine*/, again)
	return part[0] + part[1]
}

func goroutineOfVariable(x []float64) float64 {
	y := x[0]
	f := func() { y *= 2 }
	/*!goroutine*/ go f()
	return y
}

type worker struct {
	sum   float64
	tasks []func()
}

func (w *worker) run() { w.sum++ }

func (w *worker) all() {
	for _, t := range w.tasks {
		go t()
	}
}

func goroutinesOfMethods(x []float64) float64 {
	w, v := worker{sum: x[0]}, worker{}
	parallel(1, func(int) {})
	v.tasks = append(v.tasks /*!where a goroutine might call it*/, w.run)
	v.all()
	return w.sum
}

func max(a, b float64) float64 { return math.Log(math.Exp(a) + math.Exp(b)) }

func shadowedBuiltin(x []float64) float64 {
	return /*!Go's max, for which package refused declares something else*/ lib.Largest(x[0], []float64{1, 1})
}

func variablesThatChange(x []float64) float64 {
	s := /*!the variable scale*/ lib.Scaled(x[0]) + /*!the variable table*/ lib.Tabled(x[0])
	s += /*!the variable weights*/ lib.Weighted(x[0]) + /*!the variable base*/ lib.Based(x[0])
	s += /*!the variable rows*/ lib.Rowed(x[0]) + /*!the variable grid*/ lib.Gridded(x[0])
	return s + /*!the variable counts*/ lib.Counted(x[0])
}

func channelSend(x []float64) float64 {
	c := make(chan float64, 1)
	c /*!channel*/ <- x[0]
	return <-c
}

func channelParameter(x []float64, c chan float64) float64 {
	c /*!channel*/ <- x[0] * 2
	return 0
}

func channelOfSlices(x []float64) float64 {
	c := make(chan []float64, 1)
	c /*!channel*/ <- x
	return (<-c)[0]
}

func selectSend(x []float64) float64 {
	c := make(chan float64, 1)
	select {
	case c /*!channel*/ <- x[0]:
	default:
	}
	return x[0]
}

func anyVariable(x []float64) float64 {
	var v any
	/*!interface*/ v = x[0]
	return v.(float64)
}

func anyArgument(x []float64) float64 {
	return take( /*!interface*/ x[0])
}

func take(v any) float64 { return v.(float64) }

func anyResult(x []float64) float64 {
	return give(x[0]).(float64)
}

func give(v float64) any { return /*!interface*/ v }

func anySlice(x []float64) float64 {
	s := []any{ /*!interface*/ x[0]}
	return float64(len(s))
}

func anyAppend(x []float64) float64 {
	var s []any
	for _, v := range x {
		s = append(s /*!interface*/, v)
	}
	return float64(len(s))
}

func shapesAppend(x []float64) float64 {
	var s []shape
	s = append(s /*!interface*/, disc{x[0]})
	return s[0].Area(1)
}

func localInGeneric(x []float64) float64 {
	type /*!outside of the function*/ item struct{ v float64 }
	s := &stack[item]{}
	s.push(item{x[0]})
	return s.items[0].v * 2
}

type stack[E any] struct{ items []E }

func (s *stack[E]) push(e E) { s.items = append(s.items, e) }

func anyField(x []float64) float64 {
	c := cache{any: /*!interface*/ x}
	_ = c
	return x[0]
}

func print(x []float64) float64 {
	fmt.Println( /*!print its numbers*/ disc{x[0]})
	fmt.Println( /*!several results*/ sharedResults(x))
	return x[0]
}

func sharedResults(x []float64) (int, float64) { return 1, x[0] }

func panicWith(x []float64) float64 {
	if x[0] < 0 {
		/*!panic*/ panic(x[0])
	}
	return x[0]
}

func builtinPrint(x []float64) float64 {
	/*!println*/ println(x[0])
	return x[0]
}

func interfaceMethod(x []float64) float64 {
	var s shape = circle{}
	return /*!interface*/ s.Area(x[0])
}

func interfaceParameter(x []float64, s shape) float64 {
	return /*!interface*/ s.Area(x[0])
}

func interfaceSlice(x []float64) float64 {
	v := 0.0
	for _, s := range []shape{circle{}} {
		v += /*!interface*/ s.Area(x[0])
	}
	return v
}

func reflection(x []float64) float64 {
	return reflect.ValueOf( /*!interface*/ x[0]).Float()
}

func pointerCast(x []float64) float64 {
	p := unsafe.Pointer( /*!unsafe*/ &x[0])
	return *(*float64)(p)
}

func sliceOfPointer(x []float64) float64 {
	return /*!unsafe*/ unsafe.Slice(&x[0], 2)[1]
}

func pointerOfSlice(x []float64) float64 {
	return * /*!unsafe*/ unsafe.SliceData(x)
}

func sizeOfNumber(x []float64) float64 {
	const size = /*!unsafe.Sizeof*/ unsafe.Sizeof(x[0])
	return x[0] * float64( /*!unsafe.Sizeof*/ unsafe.Sizeof(x[0])+size)
}

func bits(x []float64) float64 {
	return math.Float64frombits( /*!bits*/ math.Float64bits(x[0]) + 1)
}

func single(x []float64) float64 {
	return float64( /*!float32*/ float32(x[0]))
}

func complexNumber(x []float64) float64 {
	return float64(real( /*!complex64*/ complex64(complex(x[0], x[1]))))
}

func complexFunction(x []float64) float64 {
	return real( /*!Log and Sqrt*/ cmplx.Asin(complex(x[0], 0)) + /*!divide Sin by Cos*/ cmplx.Tan(complex(x[0], 0)))
}

func complexUpdate(x []float64) float64 {
	z := []complex128{complex(x[0], x[1])}
	/*!complex*/ z[counted()] *= 2
	return real(z[0])
}

var calls int

func counted() int {
	calls++
	return 0
}

func recovered(x []float64) (y float64) {
	defer func() { /*!recover*/ recover() }()
	return x[0]
}

func packageVariable(x []float64) float64 {
	/*!package variable total*/ total = x[0]
	return total
}

func packageSum(x []float64) float64 {
	/*!package variable total*/ total += x[0]
	return x[0]
}

func packageSlice(x []float64) float64 {
	history = append(history /*!package variable history*/, x[0])
	return x[0]
}

func packageField(x []float64) float64 {
	/*!package variable config*/ config.last = x[0]
	return x[0]
}

func packageElement(x []float64) float64 {
	/*!package variable table*/ table[0] = x[0]
	return x[0]
}

func packageFunction(x []float64) float64 {
	return hook( /*!package variable hook*/ x[0])
}

func packagePointer(x []float64) float64 {
	p := &total
	/*!package variable total*/ *p = x[0]
	return *p
}

func cacheField(x []float64, c *cache) float64 {
	/*!passive parameter c*/ c.last = x[0]
	return x[0]
}

func cacheSlice(x []float64, c *cache) float64 {
	c.all = append(c.all /*!passive parameter c*/, x[0])
	return x[0]
}

func cacheMap(x []float64, c *cache) float64 {
	/*!passive parameter c*/ c.byKey["x"] = x[0]
	return x[0]
}

func cachePointer(x []float64, c *cache) float64 {
	/*!passive parameter c*/ *c.p = x[0]
	return x[0]
}

func cacheCopy(x []float64, work []float64) float64 {
	/*!passive parameter work*/ copy(work, x)
	return work[0]
}

func cacheElement(x []float64, work []float64) float64 {
	for i, v := range x {
		/*!passive parameter work*/ work[i] = v * v
	}
	return work[0]
}

func cacheAlias(x []float64, work []float64) float64 {
	w := work[:2]
	/*!passive parameter work*/ w[1] = x[0]
	return w[1]
}

func cacheInCall(x []float64, work []float64) float64 {
	fill(work, x[0])
	return work[0]
}

func fill(w []float64, v float64) { /*!passive parameter work*/ w[0] = v }

func cacheStruct(x []float64, c cache) float64 {
	/*!passive parameter c*/ c.all[0] = x[0]
	return c.all[0]
}

func callback(x []float64, f func(float64) float64) float64 {
	return f( /*!passive parameter f*/ x[0])
}

func report(x []float64, f func(float64)) float64 {
	f( /*!passive parameter f*/ x[0])
	return x[0]
}

func mapKey(x []float64) float64 {
	m := map[float64]int{}
	m[ /*!key of a map*/ x[0]]++
	return float64(len(m))
}

func mapLiteralKey(x []float64) float64 {
	m := map[float64]int{ /*!key of a map*/ x[0]: 1}
	return float64(m[1])
}

func sorted(x []float64) float64 {
	y := slices.Clone(x)
	sort.Float64s(y)
	return y[0]
}

func sortInterface(x []float64) float64 {
	y := append([]float64(nil), x...)
	sort.Sort( /*!interface*/ sort.Float64Slice(y))
	return y[0]
}

func sortSlice(x []float64) float64 {
	y := append([]float64(nil), x...)
	sort.Slice( /*!interface*/ y, func(i, j int) bool { return y[i] < y[j] })
	return y[0]
}

func bigNumber(x []float64) float64 {
	f, _ := /*!big*/ big.NewFloat(x[0]).Float64()
	return f
}

func matrix(x []float64) float64 {
	m := mat.NewDense(2, 2, x)
	return mat.Det( /*!dual/matrix*/ m)
}

func mutexed(x []float64) float64 {
	var v atomic.Value
	v.Store( /*!interface*/ x[0])
	return x[0]
}

func pooled(x []float64) float64 {
	p := sync.Pool{}
	p.Put( /*!interface*/ x)
	return x[0]
}

func assembled(x []float64) float64 { return /*!not Go*/ assembly(x[0]) }

func assembly(x float64) float64

func joined(x []float64) float64 {
	if err := errors.Join( /*!interface*/ wrap{x[0]}); err != nil {
		return 1
	}
	return 0
}

type wrap struct{ v float64 }

func (w wrap) Error() string { return "" }

func nextAfter(x []float64) float64 { return /*!Nextafter*/ math.Nextafter(x[0], 2) }

func mapOfAny(x []float64) float64 {
	m := map[string]any{"x": /*!interface*/ x[0]}
	return float64(len(m))
}

func closureCache(x []float64, c *cache) float64 {
	f := func(v float64) float64 {
		/*!passive parameter c*/ c.last = v
		return v
	}
	return f(x[0])
}

func unexported(x []float64) float64 {
	return /*!does not export*/ functions.NewMinimalSurface(5, 5).Func(x)
}

func updatedMap(x []float64) float64 {
	m := map[int]float64{}
	k := 0
	next := func() int { k++; return k }
	/*!key*/ m[next()] += x[0]
	return m[1]
}

func neededTwice(x []float64) float64 {
	k := -1
	next := func() float64 { k++; return x[k] }
	if math.Signbit( /*!twice*/ next()) {
		return 1
	}
	return x[0]
}
