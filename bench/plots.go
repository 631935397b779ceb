package main

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/sparsity"
)

// plotted is what -plots draws, by section.
var plotted = map[string]func(b *bench) []*figure{
	"strategies": memoryPlots,
	"sparse":     scalingPlots,
	"coloring":   spyPlots,
	"gonum":      stepPlots,
	"newton":     solvingPlots,
	"laplace":    marginalPlots,
}

// A figure is a plot with its legend at the right.
type figure struct {
	name          string // of the files
	title         string
	plot          *plot.Plot
	legend        plot.Legend
	width, height vg.Length
	logX, logY    bool // shows logarithms
	square        bool // the two axes have the same unit
}

// The colors of Okabe and Ito, Color universal design, 2008, which are told apart
// by the color-blind; lines leave out yellow, too light for them.
var (
	black  = color.NRGBA{A: 255}
	gray   = color.NRGBA{180, 180, 180, 255}
	blue   = color.NRGBA{0, 114, 178, 255}
	orange = color.NRGBA{230, 159, 0, 255}
	green  = color.NRGBA{0, 158, 115, 255}
	purple = color.NRGBA{204, 121, 167, 255}
	red    = color.NRGBA{213, 94, 0, 255}
	sky    = color.NRGBA{86, 180, 233, 255}
	yellow = color.NRGBA{240, 228, 66, 255}

	classColors = []color.Color{blue, orange, green, purple, sky, red, yellow, black,
		color.NRGBA{136, 34, 85, 255}, color.NRGBA{153, 153, 51, 255}, color.NRGBA{120, 80, 40, 255}} // and three more
	lineColors = []color.Color{black, blue, red, green, orange, purple, sky}
)

// Shapes and dashes tell lines apart where there is no color.
var (
	lineGlyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.RingGlyph{},
		draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}}
	dashes = []vg.Length{vg.Points(4), vg.Points(2)}
)

func newFigure(name, title, x, y string) *figure {
	f := &figure{name: name, title: title, plot: plot.New(), legend: plot.NewLegend()}
	f.width, f.height = 6.5*vg.Inch, 3.8*vg.Inch
	f.plot.X.Label.Text, f.plot.Y.Label.Text = x, y
	f.plot.X.Label.Padding, f.plot.Y.Label.Padding = vg.Points(4), vg.Points(4)
	f.plot.X.Tick.Length, f.plot.Y.Tick.Length = vg.Points(5), vg.Points(5)
	f.plot.X.Padding, f.plot.Y.Padding = 0, 0
	f.plot.X.Tick.Marker, f.plot.Y.Tick.Marker = round{}, round{}
	f.legend.TextStyle.Font.Size = vg.Points(10)
	f.legend.Top, f.legend.Left = true, true
	f.legend.Padding = vg.Points(3)
	return f
}

// logarithmic makes f show logarithms, on axes that are labeled by powers of ten.
// (With plot.LogScale the label of the vertical axis takes room above it.)
func (f *figure) logarithmic() {
	f.logX, f.logY = true, true
	inDecades(&f.plot.X)
	inDecades(&f.plot.Y)
	f.grid()
}

// logarithmicX is logarithmic for the horizontal axis alone.
func (f *figure) logarithmicX() {
	f.logX = true
	inDecades(&f.plot.X)
	f.grid()
}

func inDecades(a *plot.Axis) {
	a.Tick.Marker = decades{}
	a.Tick.Label.Handler = powers{text.Plain{Fonts: plot.DefaultTextHandler.Cache()}}
	a.AutoRescale = true
}

func (f *figure) grid() {
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = color.Gray{225}, color.Gray{225}
	f.plot.Add(g)
}

// line adds line i through points, all of them marked. Where there are more lines than
// colors they are dashed.
func (f *figure) line(i int, name string, xy plotter.XYs, style ...vg.Length) {
	if i >= len(lineColors) {
		i, style = i-len(lineColors), dashes
	}
	xy = f.scaled(xy)
	line := must(plotter.NewLine(xy))
	line.Color, line.Width, line.Dashes = lineColors[i], vg.Points(1.4), style
	marks := must(plotter.NewScatter(xy))
	marks.GlyphStyle = draw.GlyphStyle{Color: lineColors[i], Radius: vg.Points(2.6), Shape: lineGlyphs[i]}
	f.plot.Add(line, marks)
	f.legend.Add(name, line, marks)
}

// level adds a black horizontal line, without marks.
func (f *figure) level(name string, from, to, y float64, style ...vg.Length) {
	line := must(plotter.NewLine(f.scaled(plotter.XYs{{X: from, Y: y}, {X: to, Y: y}})))
	line.Width, line.Dashes = vg.Points(1.4), style
	f.plot.Add(line)
	f.legend.Add(name, line)
}

func (f *figure) scaled(xy plotter.XYs) plotter.XYs {
	xy = slices.Clone(xy)
	for i, p := range xy {
		if f.logX {
			xy[i].X = math.Log10(p.X)
		}
		if f.logY {
			xy[i].Y = math.Log10(p.Y)
		}
	}
	return xy
}

// Decades are the ticks of logarithms, at whole numbers, as many labeled as there
// is room for.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(lo, hi float64) (ticks []plot.Tick) {
	first, last := math.Floor(lo+1e-9), math.Ceil(hi-1e-9) // a power of ten but for rounding is one
	every := math.Floor((last-first)/8) + 1
	for e := first; e <= last; e++ {
		t := plot.Tick{Value: e}
		if math.Mod(e, every) == 0 {
			t.Label = strings.ReplaceAll(fmt.Sprintf("10^%g", e), "-", "−")
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// Round are the ticks of numbers, at multiples of 1, 2 or 5 times a power of ten.
type round struct{}

// Ticks implements plot.Ticker.
func (round) Ticks(lo, hi float64) (ticks []plot.Tick) {
	step := math.Pow10(int(math.Floor(math.Log10((hi - lo) / 3))))
	for _, m := range []float64{5, 2} {
		if m*step <= (hi-lo)/3 {
			step *= m
			break
		}
	}
	digits := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	for k := math.Ceil(lo / step); k*step <= hi; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: fmt.Sprintf("%.*f", digits, k*step)})
	}
	return ticks
}

// Powers are texts of which what follows a ^ is an exponent; the fonts have not
// all the digits.
type powers struct{ text.Plain }

const exponent, raised = 0.7, 0.4 // the exponent's size and height, by the size of the font

// Box implements text.Handler.
func (h powers) Box(txt string, f font.Font) (width, height, depth vg.Length) {
	base, exp, _ := strings.Cut(txt, "^")
	width, height, depth = h.Plain.Box(base, f)
	raise := raised * f.Size
	f.Size *= exponent
	w, _, _ := h.Plain.Box(exp, f)
	return width + w, height + raise, depth
}

// Draw implements text.Handler.
func (h powers) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	base, exp, _ := strings.Cut(txt, "^")
	width, _, _ := h.Box(txt, sty.Font)
	raise := raised * sty.Font.Size
	pt.X += vg.Length(sty.XAlign) * width
	pt.Y += vg.Length(sty.YAlign) * raise
	sty.XAlign, sty.Handler = text.XLeft, h.Plain
	h.Plain.Draw(c, base, sty, pt)
	pt.X += sty.Width(base)
	pt.Y += raise
	sty.Font.Size *= exponent
	h.Plain.Draw(c, exp, sty, pt)
}

// A swatch is a legend's square of a color.
type swatch struct{ color.Color }

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	d := c.Max.Y - c.Min.Y
	x := c.Max.X - d
	c.FillPolygon(s, []vg.Point{{X: x, Y: c.Min.Y}, {X: x + d, Y: c.Min.Y}, {X: x + d, Y: c.Max.Y}, {X: x, Y: c.Max.Y}})
}

// draw draws f on c.
func (f *figure) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, vg.Points(6), -vg.Points(6), vg.Points(6), -vg.Points(6))
	title := f.plot.Title.TextStyle
	c.FillText(title, vg.Point{X: c.Center().X, Y: c.Max.Y}, f.title)
	c.Max.Y -= title.Height(f.title) + vg.Points(8)
	legend := f.legend.Rectangle(c)
	room := legend.Max.X - legend.Min.X
	if room > 0 {
		room += vg.Points(14)
	}
	left := draw.Crop(c, 0, -room, 0, 0)
	data := f.plot.DataCanvas(left)
	if f.square { // the same unit in both directions, the rest is left free
		w, h := data.Max.X-data.Min.X, data.Max.Y-data.Min.Y
		unit := min(float64(w)/(f.plot.X.Max-f.plot.X.Min), float64(h)/(f.plot.Y.Max-f.plot.Y.Min))
		right := w - vg.Length(unit*(f.plot.X.Max-f.plot.X.Min))
		below := h - vg.Length(unit*(f.plot.Y.Max-f.plot.Y.Min))
		left = draw.Crop(left, 0, -right, below, 0)
		data = f.plot.DataCanvas(left)
	}
	f.plot.Draw(left)
	c.Min.X, c.Max.Y = data.Max.X+vg.Points(14), data.Max.Y
	f.legend.Draw(c)
}

// save writes f to dir, as SVG and as PNG.
func (f *figure) save(dir string) error {
	svg := vgsvg.New(f.width, f.height)
	f.draw(draw.New(svg))
	png := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(200))}
	f.draw(draw.New(png))
	for ext, c := range map[string]io.WriterTo{".svg": svg, ".png": png} {
		var b bytes.Buffer
		must(c.WriteTo(&b))
		if err := source.Replace(filepath.Join(dir, f.name+ext), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes dir and tries whether a file can be made there.
func prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, ".bench")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// maxCells is how many cells a picture of a matrix has in a row, at most; those
// of a larger matrix stand for several elements.
const maxCells = 150

// A spy draws the elements of a pattern as colored cells, row 0 at the top.
type spy struct {
	*sparsity.Pattern
	read   []int         // for each position the number of the product that it is read from, −1 for none
	colors []color.Color // of none, then of each product
}

// Plot implements plot.Plotter.
func (s spy) Plot(c draw.Canvas, p *plot.Plot) {
	rows, cols := s.Dims()
	x, y := p.Transforms(&c)
	size := max(1, (max(rows, cols)+maxCells-1)/maxCells)
	drawn := make(map[[2]int]bool)
	gap := 0.06 // between cells; where they are small they overlap, which leaves no seams
	if max(rows, cols) > 60 {
		gap = -0.05
	}
	ptr := s.RowPtr()
	for i := range rows {
		for k, j := range s.Row(i) {
			at := [2]int{i / size, int(j) / size}
			if drawn[at] {
				continue
			}
			drawn[at] = true
			unit := float64(size)
			top, left := unit*(float64(at[0])+gap), unit*(float64(at[1])+gap)
			bottom := min(unit*(float64(at[0])+1-gap), float64(rows))
			right := min(unit*(float64(at[1])+1-gap), float64(cols))
			c.FillPolygon(s.colors[s.read[int(ptr[i])+k]+1], []vg.Point{
				{X: x(left), Y: y(top)}, {X: x(right), Y: y(top)}, {X: x(right), Y: y(bottom)}, {X: x(left), Y: y(bottom)}})
		}
	}
}

// DataRange implements plot.DataRanger.
func (s spy) DataRange() (xmin, xmax, ymin, ymax float64) {
	rows, cols := s.Dims()
	return 0, float64(cols), 0, float64(rows)
}

// spyFigure draws a matrix, each element in the color of the product that it is
// read from.
func spyFigure(file, title string, c *coloring.Coloring) *figure {
	f := newFigure(file, title, "column", "row")
	rows, cols := c.Pattern().Dims()
	side := 3.2 * vg.Inch / vg.Length(max(rows, cols, 1)) // of a cell
	f.width = max(side*vg.Length(cols)+1.9*vg.Inch, 4*vg.Inch)
	f.height = max(side*vg.Length(rows)+vg.Inch, 2*vg.Inch)
	f.square = true
	f.plot.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	s := spy{c.Pattern(), products(c), append([]color.Color{gray}, classPalette(c.Num())...)}
	f.plot.Add(s)
	if c.Num() <= len(classColors) {
		columns := c.Columns().Num()
		for k := range c.Num() {
			name := fmt.Sprintf("color %d", k)
			if k >= columns {
				name = fmt.Sprintf("row color %d", k-columns)
			} else if columns < c.Num() {
				name = "column " + name
			}
			f.legend.Add(name, swatch{s.colors[k+1]})
		}
	}
	if slices.Contains(s.read, -1) {
		f.legend.Add("substituted", swatch{gray})
	}
	return f
}

// classPalette is n colors: of a list that the color-blind tell apart, or of a
// scale of growing lightness.
func classPalette(n int) []color.Color {
	if n <= len(classColors) {
		return classColors[:n]
	}
	m := moreland.ExtendedKindlmann()
	m.SetMin(-0.15 * float64(n)) // neither black
	m.SetMax(1.08 * float64(n))  // nor white
	colors := make([]color.Color, n)
	for i := range colors {
		colors[i] = must(m.At(float64(i)))
	}
	return colors
}

// products gives for each position of the pattern of c the number of the product
// that its element is read from, column colors first, then those of rows; −1 where
// it is a difference of what is read.
func products(c *coloring.Coloring) []int {
	p := c.Pattern()
	t := p.Transpose()
	var columns, rows []int
	switch c.Kind() {
	case coloring.Column, coloring.Row, coloring.StarBicoloring, coloring.AcyclicBicoloring:
		columns, rows = alone(p, c.Columns().Colors()), alone(t, c.Rows().Colors())
		for k, color := range rows {
			if color >= 0 {
				rows[k] = color + c.Columns().Num()
			}
		}
	default: // an element of a symmetric matrix is read where its mirror image is, too
		columns = alone(p, c.Columns().Colors())
		rows = columns
	}
	m, _ := p.Dims()
	read, k := columns, 0
	for i := range m {
		for _, j := range p.Row(i) {
			if read[k] < 0 {
				read[k] = rows[t.Position(int(j), i)]
			}
			k++
		}
	}
	return read
}

// alone gives for each position the color of its column, −1 where another column
// of that color has a position in the same row, so that their product has the sum
// of both, or where it has none. Without colors all is −1.
func alone(p *sparsity.Pattern, colors []int) []int {
	at := slices.Repeat([]int{-1}, p.NNZ())
	if len(colors) == 0 {
		return at
	}
	rows, _ := p.Dims()
	count := make([]int, slices.Max(colors)+2)
	k := 0
	for i := range rows {
		row := p.Row(i)
		for _, j := range row {
			count[colors[j]+1]++
		}
		for _, j := range row {
			if count[colors[j]+1] == 1 {
				at[k] = colors[j]
			}
			k++
		}
		for _, j := range row {
			count[colors[j]+1] = 0
		}
	}
	return at
}
