package beam

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // file names without a scheme
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/hesse-ad/hesse/hessian"
)

func init() {
	register.DoFn3x1[context.Context, Part, func(Sum), error](&evaluate{})
	register.Emitter1[Sum]()
	register.Combiner1[Sum](&add{})
	register.Function1x1(line)
}

// A Part is some of the data: a file of rows of little-endian numbers of 64 bits or,
// without a file, rows Begin to End − 1 of the model's own.
type Part struct {
	File       string
	Begin, End int64
}

// Parts divides rows of a model's own data.
func Parts(rows, parts int64) (p []Part) {
	for i := range parts {
		p = append(p, Part{Begin: rows * i / parts, End: rows * (i + 1) / parts})
	}
	return p
}

// Files are the parts that a pattern such as gs://bucket/rows-* names.
func Files(ctx context.Context, pattern string) (p []Part, err error) {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	names, err := fs.List(ctx, pattern)
	for _, name := range names {
		p = append(p, Part{File: name})
	}
	if err == nil && p == nil {
		err = fmt.Errorf("beam: no files %s", pattern)
	}
	return p, err
}

// A Sum is value, gradient and the values of the lower triangle of the Hessian of the
// terms of some rows.
type Sum struct {
	F    float64
	G, H []float64
}

// plans are those of the models, made once a process.
var plans = func() map[string]func() (*hessian.Chunks, error) {
	p := map[string]func() (*hessian.Chunks, error){}
	for name, m := range Models {
		p[name] = sync.OnceValues(func() (*hessian.Chunks, error) {
			row := make([]float64, m.D)
			m.Row(row, 0)
			return hessian.SparseSettings{Lower: true}.NewChunks(m.Term, m.Start, row)
		})
	}
	return p
}()

// evaluate is the DoFn that makes sums of parts.
type evaluate struct {
	Model string
	X     []float64
}

func (e *evaluate) ProcessElement(ctx context.Context, p Part, emit func(Sum)) error {
	c, err := plans[e.Model]()
	if err != nil {
		return err
	}
	h, g := c.Matrix(), make([]float64, len(e.X))
	f, err := c.EvalAll(h, g, e.X, p.rows(ctx, Models[e.Model]))
	if err != nil {
		return fmt.Errorf("beam: part %v: %w", p, err)
	}
	emit(Sum{f, g, h.Values()})
	return nil
}

// chunkRows is how many rows are read at a time.
const chunkRows = 1000

// rows are those of p.
func (p Part) rows(ctx context.Context, m Model) iter.Seq2[[]float64, error] {
	if p.File != "" {
		return p.read(ctx, m.D)
	}
	return func(yield func([]float64, error) bool) {
		buffer := make([]float64, chunkRows*m.D)
		for r := p.Begin; r < p.End; {
			k := min(chunkRows, int(p.End-r))
			for i := range k {
				m.Row(buffer[i*m.D:(i+1)*m.D], r+int64(i))
			}
			if !yield(buffer[:k*m.D], nil) {
				return
			}
			r += int64(k)
		}
	}
}

// read reads a file.
func (p Part) read(ctx context.Context, d int) iter.Seq2[[]float64, error] {
	return func(yield func([]float64, error) bool) {
		fs, err := filesystem.New(ctx, p.File)
		if err != nil {
			yield(nil, err)
			return
		}
		defer fs.Close()
		f, err := fs.OpenRead(ctx, p.File)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		raw, buffer := make([]byte, 8*chunkRows*d), make([]float64, chunkRows*d)
		for {
			k, err := io.ReadFull(f, raw)
			if err == io.EOF {
				return
			}
			if err != nil && err != io.ErrUnexpectedEOF || k%8 != 0 {
				yield(nil, errors.Join(err, fmt.Errorf("%s: %d bytes at its end", p.File, k)))
				return
			}
			for i := range k / 8 {
				buffer[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
			}
			if !yield(buffer[:k/8], nil) {
				return
			}
		}
	}
}

// add is the CombineFn that adds up sums.
type add struct{}

func (*add) CreateAccumulator() Sum { return Sum{} }

func (*add) AddInput(s, t Sum) Sum { return s.plus(t) }

func (*add) MergeAccumulators(s, t Sum) Sum { return s.plus(t) }

func (*add) ExtractOutput(s Sum) Sum { return s }

// plus is s + t, of which either may be of no rows. It may change s.
func (s Sum) plus(t Sum) Sum {
	switch {
	case s.G == nil:
		return t
	case t.G == nil:
		return s
	}
	s.F += t.F
	for i, v := range t.G {
		s.G[i] += v
	}
	for i, v := range t.H {
		s.H[i] += v
	}
	return s
}

// line is a sum as text, with all digits, infinities and NaN.
func line(s Sum) string {
	var b strings.Builder
	for _, v := range append(append([]float64{s.F}, s.G...), s.H...) {
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		b.WriteByte(' ')
	}
	return b.String()
}

// parse is the sum that line has written.
func parse(text string, n int) (s Sum, err error) {
	fields := strings.Fields(text)
	if len(fields) < 1+n {
		return s, fmt.Errorf("beam: a sum of %d numbers", len(fields))
	}
	v := make([]float64, len(fields))
	for i, f := range fields {
		if v[i], err = strconv.ParseFloat(f, 64); err != nil {
			return s, err
		}
	}
	return Sum{v[0], v[1 : 1+n : 1+n], v[1+n:]}, nil
}

// A Runner runs pipelines: that of prism, or what Beam's flags choose.
type Runner func(context.Context, *beam.Pipeline) error

// pass is the sum of a model's terms over all parts at x. It goes through a file, which
// is what runners on other machines can return results by.
func (f *Fit) pass(ctx context.Context, x []float64) (Sum, error) {
	file := path.Join(f.Dir, fmt.Sprintf("sum-%d.txt", f.passes))
	if scheme, rest, ok := strings.Cut(f.Dir, "://"); ok { // Join would clean it
		file = scheme + "://" + path.Join(rest, path.Base(file))
	}
	f.passes++
	p, s := beam.NewPipelineWithRoot()
	parts := beam.Reshuffle(s, beam.CreateList(s, f.Parts))
	sums := beam.ParDo(s, &evaluate{f.Model, x}, parts)
	textio.Write(s, file, beam.ParDo(s, line, beam.Combine(s, &add{}, sums)))
	if err := f.Run(ctx, p); err != nil {
		return Sum{}, err
	}
	fs, err := filesystem.New(ctx, file)
	if err != nil {
		return Sum{}, err
	}
	defer fs.Close()
	r, err := fs.OpenRead(ctx, file)
	if err != nil {
		return Sum{}, err
	}
	defer r.Close()
	text, err := bufio.NewReader(r).ReadString('\n')
	if err != nil && err != io.EOF {
		return Sum{}, err
	}
	return parse(text, len(x))
}
