package hessian

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/internal/workers"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// Chunks is a sum of alike terms over rows of data, which need not be in memory at
// once:
//
//	f(x) = Σᵣ t(x; pᵣ),  x ∈ ℝⁿ,  pᵣ ∈ ℝᵈ
//
// as in regressions and likelihoods. Evaluations take the rows from a sequence of
// chunks, each some rows one after the other, and go over blocks of them by one plan.
//
// Blocks are made of rows in their order, wherever chunks end, and added up in that
// order: the bits do not depend on how rows are divided into chunks nor on the
// number of workers. Memory is what Bytes says, however long the data are: a logistic
// regression of 10 variables goes over 10⁸ rows in 14 s within 20 MB, with two workers
// in 9 s (go test -bench Chunks -benchtime 100000000x ./hessian). A Chunks is
// immutable and safe for concurrent use.
//
// What else f has, such as a prior, is to be added to the results.
type Chunks struct {
	n, d, rows int // rows of a block
	tape       *reverse.Tape
	sparse     *Sparse
	workers    int
	ones       []float64
	passes     sync.Pool // of *pass
}

const (
	// A block has at least blockRows rows, so that the plan runs over whole blocks of lanes,
	// and at least blockWork operations for each nonzero of the Hessian, since all of these are
	// added to the sum once for each block; but its tape has at most largeBlock operations,
	// unless a single row has more.
	blockRows  = 1024
	blockWork  = 4
	largeBlock = 1 << 22
)

// NewChunks records the term t at x and one row p of data, of length d ≥ 1, and
// prepares the sparse Hessian of the sum: the whole symmetric matrix. A term may
// compare only what comes out alike for all rows and points; see Max, Select and Step
// of reverse.Var for what may not. It panics if term is nil or p is empty. The errors
// are those of reverse.RecordParams and NewSparse. Cost: that of recording and
// preparing a sum of some hundred terms.
func NewChunks(term func(x, p []reverse.Var) reverse.Var, x, p []float64) (*Chunks, error) {
	return SparseSettings{}.NewChunks(term, x, p)
}

// NewChunks is the function NewChunks with settings. Workers share the blocks: with
// more than one an evaluation starts as many goroutines and allocates some objects.
func (o SparseSettings) NewChunks(term func(x, p []reverse.Var) reverse.Var, x, p []float64) (*Chunks, error) {
	if term == nil || len(p) == 0 {
		panic("hessian: no term, or no data")
	}
	c := &Chunks{n: len(x), d: len(p), workers: max(o.Workers, 1)}
	o.Workers = 1
	one, err := reverse.RecordParams(term, x, p)
	if err != nil {
		return nil, err
	}
	ops := max(one.Ops(), len(x)+len(p))
	want := max(blockRows, blockWork*one.HessianPattern().NNZ()/ops)
	c.rows = max(1, min(want, largeBlock/ops))
	c.tape, err = reverse.RecordParamsVec(func(x, p []reverse.Var) []reverse.Var {
		y := make([]reverse.Var, c.rows)
		for r := range y {
			y[r] = term(x, p[r*c.d:(r+1)*c.d])
		}
		return y
	}, x, slices.Repeat(p, c.rows))
	if err != nil {
		return nil, err
	}
	if c.sparse, err = o.New(c.tape); err != nil {
		return nil, err
	}
	c.ones = make([]float64, c.rows)
	for r := range c.ones {
		c.ones[r] = 1
	}
	return c, nil
}

// Matrix returns a new matrix for EvalAll, as Sparse.Matrix.
func (c *Chunks) Matrix() *sparsity.Matrix { return c.sparse.Matrix() }

// Explain is Sparse.Explain of a block.
func (c *Chunks) Explain() string {
	return fmt.Sprintf("blocks of %d rows\n%s", c.rows, c.sparse.Explain())
}

// Bytes returns the memory of an evaluation beside that of the plan, however many rows
// there are: for each worker two blocks of rows, each with a gradient and the
// nonzeros of a Hessian, and those of the sum.
func (c *Chunks) Bytes() int {
	sum := c.sparse.Pattern().NNZ() + c.n
	return 8 * (c.slots()*(c.n+c.rows*(c.d+1)+sum) + sum)
}

// slots is how many blocks are in memory at a time.
func (c *Chunks) slots() int {
	if c.workers == 1 {
		return 1
	}
	return 2 * c.workers
}

// A ChunkError says where in the data an evaluation failed.
type ChunkError struct {
	Chunk int // from 0
	Row   int // of all rows, from 0; −1 if it is the chunk as a whole
	Err   error
}

func (e *ChunkError) Error() string {
	if e.Row < 0 {
		return fmt.Sprintf("hessian: chunk %d: %v", e.Chunk, e.Err)
	}
	return fmt.Sprintf("hessian: chunk %d: row %d: %v", e.Chunk, e.Row, e.Err)
}

// Unwrap returns Err.
func (e *ChunkError) Unwrap() error { return e.Err }

// errLength says that a chunk is not made of rows.
var errLength = errors.New("its length is no multiple of that of a row")

// EvalAll returns f(x), 0 without rows, and stores its Hessian in dst, made by Matrix,
// and its gradient in g, of length n. Data are chunks of whole rows of any number,
// which may be changed once the next one is asked for; they end with their first
// error. On an error, a *ChunkError with that of data or the first row that failed,
// dst and g are left as they were. It panics if a length is wrong, data is nil or dst has
// another pattern. It allocates a few objects, none for a chunk. Cost: that of Sparse.EvalAll a
// row, and n + nonzeros a block.
func (c *Chunks) EvalAll(dst *sparsity.Matrix, g, x []float64, data iter.Seq2[[]float64, error]) (f float64, err error) {
	check(g, c.n, "g")
	return c.eval(c.sparse.p.Given(dst).Values(), g, x, data)
}

// ValueGradient returns f(x) and its gradient, of length n; dst may be nil. Otherwise
// as EvalAll. Cost: that of Sparse.ValueGradient a row, and n a block.
func (c *Chunks) ValueGradient(dst, x []float64, data iter.Seq2[[]float64, error]) (f float64, g []float64, err error) {
	if g = dst; g == nil {
		g = make([]float64, c.n)
	}
	check(g, c.n, "dst")
	if f, err = c.eval(nil, g, x, data); err != nil {
		return 0, dst, err
	}
	return f, g, nil
}

func (c *Chunks) eval(values, g, x []float64, data iter.Seq2[[]float64, error]) (float64, error) {
	check(x, c.n, "x")
	if data == nil {
		panic("hessian: nil data")
	}
	p := c.pass(values != nil)
	defer c.passes.Put(p)
	defer p.stop()
	p.begin(x)
	var bad error
	for rows, err := range data {
		if err == nil && len(rows)%c.d != 0 {
			err = errLength
		}
		if err != nil {
			bad = &ChunkError{p.chunk, -1, err}
			break
		}
		if !p.take(rows) {
			break
		}
	}
	if err := p.finish(bad); err != nil {
		return 0, err
	}
	copy(values, p.values)
	copy(g, p.g)
	return p.f, nil
}

// A pass is one evaluation.
type pass struct {
	*Chunks
	second bool

	slots []block
	jobs  chan *block // nil with one worker
	wait  sync.WaitGroup

	started, added int // how many blocks have been begun, and added to the sum
	row, chunk     int // the numbers of the next row and the next chunk

	f         float64
	g, values []float64
	err       error
}

// A block is some rows and what comes out of them.
type block struct {
	filled int       // how many rows it has
	first  int       // the number of its first row
	chunk  int       // the number of the chunk of that
	ends   []int     // the rows of the block before which chunks end
	point  []float64 // x, then the rows
	w      []float64 // 1 for each row, 0 where there is none

	f      float64
	g      []float64
	matrix *sparsity.Matrix
	err    error
	end    workers.End
	done   chan struct{}
}

// pass is a pass from the pool or a new one.
func (c *Chunks) pass(second bool) *pass {
	p, ok := c.passes.Get().(*pass)
	if !ok {
		p = &pass{Chunks: c, slots: make([]block, c.slots()), g: make([]float64, c.n)}
		for i := range p.slots {
			p.slots[i] = block{
				point: make([]float64, c.n+c.rows*c.d), w: slices.Clone(c.ones),
				g: make([]float64, c.n), done: make(chan struct{}, 1),
			}
		}
	}
	if p.second = second; second && p.values == nil {
		p.values = make([]float64, c.sparse.Pattern().NNZ())
		for i := range p.slots {
			p.slots[i].matrix = c.sparse.Matrix()
		}
	}
	return p
}

func (p *pass) begin(x []float64) {
	p.started, p.added, p.row, p.chunk, p.f, p.err = 0, 0, 0, 0, 0, nil
	clear(p.g)
	clear(p.values)
	for i := range p.slots {
		copy(p.slots[i].point, x)
	}
	p.open()
	if p.workers == 1 {
		return
	}
	p.jobs = make(chan *block, len(p.slots))
	for range p.workers {
		p.wait.Go(p.work)
	}
}

// work evaluates blocks until there are no more, also after one whose function has
// called runtime.Goexit.
func (p *pass) work() {
	ended := false
	defer func() {
		if !ended {
			p.work()
		}
	}()
	for b := range p.jobs {
		p.run(b)
	}
	ended = true
}

// stop waits for the workers.
func (p *pass) stop() {
	if p.jobs != nil {
		close(p.jobs)
		p.wait.Wait()
		p.jobs = nil
	}
	for i := range p.slots { // what was not added, after a panic of the data
		select {
		case <-p.slots[i].done:
		default:
		}
	}
}

// current is the block that is being filled.
func (p *pass) current() *block { return &p.slots[p.started%len(p.slots)] }

// open begins a block.
func (p *pass) open() {
	b := p.current()
	b.filled, b.first, b.chunk, b.ends = 0, p.row, p.chunk, b.ends[:0]
}

// take copies the rows of a chunk into blocks; it reports false once one failed.
func (p *pass) take(rows []float64) bool {
	for len(rows) > 0 {
		b := p.current()
		k := copy(b.point[p.n+b.filled*p.d:], rows)
		rows = rows[k:]
		b.filled += k / p.d
		p.row += k / p.d
		if b.filled == p.rows && !p.submit() {
			return false
		}
	}
	b := p.current()
	b.ends = append(b.ends, b.filled)
	p.chunk++
	return true
}

// submit evaluates the current block, or has it evaluated, and opens the next one,
// whose place an earlier one had, which is added up first.
func (p *pass) submit() bool {
	b := p.current()
	p.started++
	if p.jobs == nil {
		p.run(b)
		p.add()
	} else {
		p.jobs <- b
		if p.started-p.added == len(p.slots) {
			p.add()
		}
	}
	p.open()
	return p.err == nil
}

// run evaluates b for add.
func (p *pass) run(b *block) {
	defer func() {
		if p.jobs != nil {
			b.done <- struct{}{}
		}
	}()
	b.end.Call(func() {
		if b.err = p.evaluate(b, b.point); b.err != nil {
			b.err = p.blame(b)
		}
	})
}

func (p *pass) evaluate(b *block, point []float64) (err error) {
	if p.second {
		b.f, err = p.sparse.EvalAll(b.matrix, b.g, point, b.w...)
	} else {
		b.f, _, err = p.sparse.ValueGradient(b.g, point, b.w...)
	}
	return err
}

// blame finds the first row of b that fails, in a block of its own copies.
func (p *pass) blame(b *block) error {
	point := slices.Clone(b.point)
	for r := range b.filled {
		row := b.point[p.n+r*p.d:][:p.d]
		for to := p.n; to < len(point); to += p.d {
			copy(point[to:], row)
		}
		if err := p.evaluate(b, point); err != nil {
			chunk := b.chunk
			for _, end := range b.ends {
				if end <= r {
					chunk++
				}
			}
			return &ChunkError{chunk, b.first + r, err}
		}
	}
	return &ChunkError{b.chunk, b.first, b.err}
}

// add waits for the first block that is not added yet, and adds it, unless one
// before failed.
func (p *pass) add() {
	b := &p.slots[p.added%len(p.slots)]
	p.added++
	if p.jobs != nil {
		<-b.done
	}
	b.end.Repeat()
	if p.err == nil {
		p.err = b.err
	}
	if p.err != nil {
		return
	}
	p.f += b.f
	for i, v := range b.g {
		p.g[i] += v
	}
	if p.second {
		for i, v := range b.matrix.Values() {
			p.values[i] += v
		}
	}
}

// finish adds all blocks, then evaluates the last one, unless what comes after it
// is bad. Weights 0 take off the rows that it does not have; they are copies of its
// first one, so that nothing fails there that does not fail in that. It returns the
// first error.
func (p *pass) finish(bad error) error {
	for p.added < p.started {
		p.add()
	}
	b := p.current()
	if p.err != nil {
		return p.err
	}
	if bad != nil || b.filled == 0 {
		return bad
	}
	first := b.point[p.n : p.n+p.d]
	for r := b.filled; r < p.rows; r++ {
		copy(b.point[p.n+r*p.d:], first)
	}
	clear(b.w[b.filled:])
	defer copy(b.w, p.ones)
	p.submit()
	for p.added < p.started {
		p.add()
	}
	return p.err
}
