package matrix

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/reverse"
)

// kernel is a function of matrices by BLAS and LAPACK, with its derivatives. The
// methods from eval on get a state that prepare has succeeded for.
type kernel interface {
	// dims is the number of elements of all operands and of all results.
	dims() (n, m int)
	// work is about how many operations of arithmetic prepare and eval take.
	work() int
	name() string
	// prepare computes what the others need of the operands s.x, finite numbers.
	prepare(s *state) error
	eval(s *state, y []float64)
	jvp(s *state, dy, dx []float64) error
	vjp(s *state, gx, w []float64) error
	// weigh computes what hvp needs of w.
	weigh(s *state, w []float64) error
	hvp(s *state, h, w, dx []float64) error
	// tangent is F′(x)ẋ by functions of matrices, y being F(x).
	tangent(y, x, dx []reverse.Var) []reverse.Var
	// elementwise is the function by operations on elements.
	elementwise(y, x []reverse.Var)
	// jacobian and hessian are the patterns, as those of op.Func.
	jacobian(i int) []int32
	hessian(i int) []int32
}

// dense has the patterns of a function all of whose results depend on all operands.
type dense struct{}

func (dense) jacobian(int) []int32          { return nil }
func (dense) hessian(int) []int32           { return nil }
func (dense) weigh(*state, []float64) error { return nil }

// state is what is known at the operands x.
type state struct {
	x      []float64
	ready  bool
	finite bool // all operands are
	extra  bool // what not all methods need is there too
	nums   [16][]float64
	ints   []int
	sum    []float64
}

// numbers is memory for n numbers; it has those that were there before.
func (s *state) numbers(k, n int) []float64 {
	if cap(s.nums[k]) < n {
		s.nums[k] = make([]float64, n)
	}
	s.nums[k] = s.nums[k][:n]
	return s.nums[k]
}

// matrix is memory for a matrix.
func (s *state) matrix(k, rows, cols int) general {
	return generalOf(rows, cols, s.numbers(k, rows*cols))
}

// node is a kernel as one operation of a tape. A factorization serves all evaluations
// at the same operands: states are found again by comparing these. One that is missing
// is made anew, with the same bits.
type node struct {
	kernel
	mu    sync.Mutex
	idle  []*state // last used last
	count int      // of states, idle or not

	written *reverse.Tape // [x; ẋ] ↦ F′(x)ẋ by functions of matrices, once wanted

	once     sync.Once
	elements *reverse.Func // the function by operations on elements, once wanted
}

var (
	_ op.Binder     = (*node)(nil)
	_ op.Several    = (*node)(nil)
	_ op.Worker     = (*node)(nil)
	_ op.Tangential = (*node)(nil)
	_ op.Series     = (*node)(nil)
)

func (f *node) Dims() (n, m int)       { return f.dims() }
func (f *node) Name() string           { return f.name() }
func (f *node) Work() int              { return f.work() }
func (f *node) Jacobian(i int) []int32 { return f.jacobian(i) }
func (f *node) Hessian(i int) []int32  { return f.hessian(i) }
func (f *node) Tangent() any           { return f.kernel.tangent }

// Bind has constants kept by the kernel, where it does that and they are finite.
func (f *node) Bind(x []float64, constant func(i, j int) bool) (bound op.Func, lo, hi int) {
	given := func(i, j int) bool { return constant(i, j) && finite(x[i:j]) }
	if b, ok := f.kernel.(binder); ok {
		if k, lo, hi := b.bind(x, given); k != f.kernel {
			return &node{kernel: k}, lo, hi
		}
	}
	n, _ := f.dims()
	return f, 0, n
}

// binder is a kernel of which some operands may be given: then another kernel, of the
// operands lo … hi−1, takes its place.
type binder interface {
	bind(x []float64, constant func(i, j int) bool) (k kernel, lo, hi int)
}

func (f *node) Eval(y, x []float64) error {
	return f.at(x, func(s *state) error {
		if !s.finite {
			f.plain(y, x)
			return nil
		}
		f.eval(s, y)
		return nil
	})
}

func (f *node) JVP(dy, x, dx []float64) error {
	return f.at(x, func(s *state) error { return directed(s, dy, dx, f.jvp) })
}

func (f *node) VJP(gx, x, w []float64) error {
	return f.at(x, func(s *state) error { return directed(s, gx, w, f.vjp) })
}

func (f *node) HVP(h, x, w, dx []float64) error {
	return f.at(x, func(s *state) error {
		if err := f.weights(s, w); err != nil {
			return err
		}
		return f.second(s, h, w, dx)
	})
}

func (f *node) JVPs(dy [][]float64, x []float64, dx [][]float64) error {
	return f.at(x, func(s *state) error {
		for i, dx := range dx {
			if err := directed(s, dy[i], dx, f.jvp); err != nil {
				return err
			}
		}
		return nil
	})
}

// HVPs does what the directions share, the products of the weights, once.
func (f *node) HVPs(h [][]float64, x, w []float64, dw, dx [][]float64) error {
	return f.at(x, func(s *state) error {
		if err := f.weights(s, w); err != nil {
			return err
		}
		for i, dx := range dx {
			if err := f.second(s, h[i], w, dx); err != nil {
				return err
			}
		}
		for i, dw := range dw { // last, since it may take the memory of what is shared
			if zero(dw) {
				continue
			}
			s.sum = slices.Grow(s.sum[:0], len(x))[:len(x)]
			if err := directed(s, s.sum, dw, f.vjp); err != nil {
				return err
			}
			add(h[i], s.sum)
		}
		return nil
	})
}

// Curvature is that of the tangent, by elements where the directions are not finite.
func (f *node) Curvature(dy, x, u, v []float64) error {
	return f.at(x, func(s *state) error {
		switch {
		case zero(u) || zero(v):
			clear(dy)
			return nil
		case !s.finite:
			undefined(dy, u)
			return nil
		case finite(u) && finite(v):
			return f.bend(s, dy, u, v)
		}
		return byElements(dy, u, func(dy, u []float64) error {
			return byElements(dy, v, func(dy, v []float64) error { return f.bend(s, dy, u, v) })
		})
	})
}

// bend is Curvature at finite operands along finite directions.
func (f *node) bend(s *state, dy, u, v []float64) error {
	t, at, along, err := f.moved(s, u, v)
	if err == nil {
		_, err = t.JVP(dy, at, along)
	}
	return err
}

func (f *node) Third(h, x, w, u, v []float64) error {
	return f.at(x, func(s *state) error {
		t, at, along, err := f.moved(s, u, v)
		if err == nil {
			_, err = t.HVP(along, at, along, w...)
		}
		copy(h, along)
		return err
	})
}

// Taylor is that of the elements, O(order²) times their operations.
func (f *node) Taylor(y, x [][]float64) error {
	t, err := f.elementsAt(x[0])
	if err == nil {
		_, err = t.Taylor(y, x, len(x)-1)
	}
	return err
}

// TaylorVJP is as Taylor.
func (f *node) TaylorVJP(gx, x, w [][]float64) error {
	t, err := f.elementsAt(x[0])
	if err == nil {
		_, err = t.TaylorVJP(gx, x, w, len(x)-1)
	}
	return err
}

// elementsAt is the elements' tape that holds at x.
func (f *node) elementsAt(x []float64) (*reverse.Tape, error) {
	f.once.Do(func() {
		f.elements = reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			_, m := f.dims()
			y := make([]reverse.Var, m)
			f.elementwise(y, x)
			return y
		})
	})
	return f.elements.Tape(x)
}

// moved is the tape of the tangent, the point [x; u] and the direction [v; 0]. The tape compares
// nothing: where it is recorded does not matter.
func (f *node) moved(s *state, u, v []float64) (t *reverse.Tape, at, along []float64, err error) {
	n := len(u)
	s.sum = append(append(append(s.sum[:0], s.x...), u...), v...)
	s.sum = slices.Grow(s.sum, n)[:4*n]
	clear(s.sum[3*n:])
	at, along = s.sum[:2*n], s.sum[2*n:]
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.written == nil {
		f.written, err = reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
			y, _ := call(f.kernel, x[:n])
			return f.tangent(y, x[:n], x[n:])
		}, at)
	}
	return f.written, at, along, err
}

// at calls use with a state at x.
func (f *node) at(x []float64, use func(s *state) error) error {
	s := f.take(x)
	var err error
	if !s.ready {
		err = f.bring(s, x)
	}
	if err == nil {
		err = use(s)
	}
	f.put(s)
	return err
}

func (f *node) bring(s *state, x []float64) error {
	s.x = append(s.x[:0], x...)
	s.extra, s.finite = false, finite(x)
	if s.finite {
		if err := f.prepare(s); err != nil {
			return err
		}
	}
	s.ready = true
	return nil
}

// Where operands are not finite values are those of the elementwise function, and
// derivatives NaN but for a direction or weights that are 0. Where it is these that are
// not finite, a partial derivative that is 0 annihilates them.

// directed does jvp along x = ẋ, or vjp of the weights x.
func directed(s *state, y, x []float64, do func(s *state, y, x []float64) error) error {
	switch {
	case !s.finite:
		undefined(y, x)
		return nil
	case finite(x):
		return do(s, y, x)
	}
	return byElements(y, x, func(y, x []float64) error { return do(s, y, x) })
}

// byElements is a linear function of x, some of whose elements are not finite: the sum of
// the products of these with the columns of the function's matrix, and of what it is
// without them.
func byElements(y, x []float64, linear func(y, x []float64) error) error {
	part, column := slices.Clone(x), make([]float64, len(y))
	for i, v := range x {
		if v-v != 0 {
			part[i] = 0
		}
	}
	if err := linear(y, part); err != nil {
		return err
	}
	clear(part)
	for i, v := range x {
		if v-v == 0 {
			continue
		}
		part[i] = 1
		if err := linear(column, part); err != nil {
			return err
		}
		part[i] = 0
		for j, d := range column {
			y[j] += elem.Prod(d, v)
		}
	}
	return nil
}

func (f *node) weights(s *state, w []float64) error {
	if !s.finite {
		return nil
	}
	return f.weigh(s, w)
}

func (f *node) second(s *state, h, w, dx []float64) error {
	switch {
	case !s.finite && zero(w):
		clear(h)
		return nil
	case !s.finite:
		undefined(h, dx)
		return nil
	case finite(w) && finite(dx):
		return f.hvp(s, h, w, dx)
	}
	err := byElements(h, w, func(h, w []float64) error {
		if err := f.weigh(s, w); err != nil {
			return err
		}
		return byElements(h, dx, func(h, dx []float64) error { return f.hvp(s, h, w, dx) })
	})
	if err != nil {
		return err
	}
	return f.weigh(s, w) // as it was
}

// plain is the elementwise function.
func (f *node) plain(y, x []float64) {
	out, in := make([]reverse.Var, len(y)), dual.Consts[reverse.Var](nil, x)
	f.elementwise(out, in)
	for i, v := range out {
		y[i] = v.Value()
	}
}

// take hands out a state at x, which is ready, or one to be brought there: a new one
// while there are few, then the one not used for the longest time.
func (f *node) take(x []float64) *state {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, s := range slices.Backward(f.idle) {
		if s.ready && same(s.x, x) {
			f.idle = slices.Delete(f.idle, i, i+1)
			return s
		}
	}
	if len(f.idle) == 0 || f.count < f.idle[0].room() {
		f.count++
		return new(state)
	}
	s := f.idle[0]
	f.idle = slices.Delete(f.idle, 0, 1)
	s.ready = false
	return s
}

// put takes a state back.
func (f *node) put(s *state) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count > s.room() {
		f.count--
		return
	}
	f.idle = append(f.idle, s)
}

// room is how many states like s are kept: one for each goroutine that runs at once,
// but if they are large only so many as have 128 MiB, and two.
func (s *state) room() int {
	n := len(s.x)
	for _, x := range s.nums {
		n += cap(x)
	}
	return min(runtime.GOMAXPROCS(0), max(2, 1<<24/(n+1)))
}

// finite reports whether no number is an infinity or NaN.
func finite(x []float64) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

func zero(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v != 0 })
}

// same reports whether x and y have the same bits.
func same(x, y []float64) bool {
	if len(x) != len(y) {
		return false
	}
	for i, v := range x {
		if math.Float64bits(v) != math.Float64bits(y[i]) {
			return false
		}
	}
	return true
}

// undefined sets dst to NaN, to 0 if the direction is.
func undefined(dst, direction []float64) {
	if zero(direction) {
		clear(dst)
		return
	}
	for i := range dst {
		dst[i] = math.NaN()
	}
}

// call is k at the operands x as one operation, if T has such; as values alone
// it has the same bits.
func call[T dual.Scalar[T]](k kernel, x ...[]T) ([]T, bool) {
	switch n, m := k.dims(); {
	case m == 0:
		return nil, true
	case n == 0:
		return nil, false
	}
	if r, ok := op.Recorder[T]().(interface{ Call(f op.Func, x []T) []T }); ok {
		return r.Call(&node{kernel: k}, slices.Concat(x...)), true
	}
	var zero T
	if _, real := any(zero).(dual.Real); real {
		return values(k, slices.Concat(x...)), true
	}
	return nil, false
}

// values is k at constants, NaN where it fails.
func values[T dual.Scalar[T]](k kernel, x []T) []T {
	_, m := k.dims()
	in, out := make([]float64, len(x)), make([]float64, m)
	for i, x := range x {
		in[i] = x.Value()
	}
	if err := (&node{kernel: k}).Eval(out, in); err != nil {
		undefined(out, []float64{1})
	}
	return dual.Consts[T](nil, out)
}
