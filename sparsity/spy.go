package sparsity

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
)

// String returns dimensions, nonzeros and density in one line.
func (p *Pattern) String() string {
	return fmt.Sprintf("%d×%d pattern, %d nonzeros (%.3g %%)", p.rows, p.cols, len(p.idx), 100*p.Density())
}

// Spy returns a picture of the pattern in text, lines of at most width
// characters; width 0 means 80. A small pattern shows each position as ● or ·.
// A larger one is drawn in braille dots; where dots are fewer than positions,
// a dot stands for a block with at least one nonzero. It panics if width is
// neither 0 nor at least 4.
func (p *Pattern) Spy(width int) string {
	if width == 0 {
		width = 80
	}
	if width < 4 {
		panic("sparsity: no room to draw")
	}
	if p.rows == 0 || p.cols == 0 {
		return ""
	}
	if 2*p.cols-1 <= width && 2*p.rows <= width {
		return p.spyEach()
	}
	const dotsAcross, dotsDown = 2, 4 // in a braille character
	d := p.downSample(dotsAcross*(width-2), nil)
	across, down := (d.w+dotsAcross-1)/dotsAcross, (d.h+dotsDown-1)/dotsDown
	// A braille character is U+2800 plus a bit for each dot.
	bit := [dotsDown][dotsAcross]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}
	chars := make([]rune, across*down)
	for i := range d.h {
		for j := range d.w {
			if d.at(i, j) != 0 {
				chars[i/dotsDown*across+j/dotsAcross] |= bit[i%dotsDown][j%dotsAcross]
			}
		}
	}
	var b strings.Builder
	for i := range down {
		left, right := '⎢', '⎥'
		switch {
		case down == 1:
			left, right = '[', ']'
		case i == 0:
			left, right = '⎡', '⎤'
		case i == down-1:
			left, right = '⎣', '⎦'
		}
		b.WriteRune(left)
		for _, c := range chars[i*across : (i+1)*across] {
			b.WriteRune('\u2800' + c)
		}
		b.WriteRune(right)
		b.WriteByte('\n')
	}
	return b.String()
}

func (p *Pattern) spyEach() string {
	var b strings.Builder
	for i := range p.rows {
		row := p.Row(i)
		for j := range p.cols {
			if j > 0 {
				b.WriteByte(' ')
			}
			if len(row) > 0 && row[0] == int32(j) {
				b.WriteRune('●')
				row = row[1:]
			} else {
				b.WriteRune('·')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A drawing is a pattern scaled to w×h cells: 0 where a cell holds no nonzero,
// else 2 plus the color of the first one in CSR order, 1 if it has none.
type drawing struct {
	w, h  int
	cells []int32
}

func (d *drawing) at(i, j int) int32 { return d.cells[i*d.w+j] }

// downSample scales the pattern to at most size cells a side, never up. The
// sides keep their ratio, except that the shorter one stays wide enough to see
// something.
func (p *Pattern) downSample(size int, colors []int) *drawing {
	scale := min(1, float64(size)/float64(max(p.rows, p.cols, 1)))
	side := func(n int) int {
		return min(n, size, max(int(math.Ceil(scale*float64(n))), min(size/4, 16)))
	}
	d := &drawing{w: side(p.cols), h: side(p.rows)}
	d.cells = make([]int32, d.w*d.h)
	scaled := func(i, to, from int) int { return int(int64(i) * int64(to) / int64(from)) }
	for i := range p.rows {
		line := d.cells[scaled(i, d.h, p.rows)*d.w:][:d.w]
		for k := p.ptr[i]; k < p.ptr[i+1]; k++ {
			cell := &line[scaled(int(p.idx[k]), d.w, p.cols)]
			if *cell == 0 {
				*cell = 1
				if colors != nil {
					*cell = 2 + int32(colors[k])
				}
			}
		}
	}
	return d
}

// ByColumn returns, for each position in CSR order, the color of its column:
// the argument of SVG and PNG that shows a coloring of the columns. It panics
// if colors does not have one number for each column.
func (p *Pattern) ByColumn(colors []int) []int {
	if len(colors) != p.cols {
		panic("sparsity: not one color a column")
	}
	c := make([]int, len(p.idx))
	for k, j := range p.idx {
		c[k] = colors[j]
	}
	return c
}

// ByRow returns, for each position in CSR order, the color of its row. It
// panics if colors does not have one number for each row.
func (p *Pattern) ByRow(colors []int) []int {
	if len(colors) != p.rows {
		panic("sparsity: not one color a row")
	}
	c := make([]int, len(p.idx))
	for i := range p.rows {
		for k := p.ptr[i]; k < p.ptr[i+1]; k++ {
			c[k] = colors[i]
		}
	}
	return c
}

// Pictures have at most pictureCells cells a side, a cell at most cellPixels
// pixels a side.
const (
	pictureCells = 400
	cellPixels   = 16
)

// SVG writes a picture of the pattern as an SVG document. The numbers colors,
// one for each position in CSR order, tell color classes apart (−1 is gray: no
// color); nil draws all in black. See ByColumn and ByRow. More than 400 rows
// or columns are scaled down, a cell showing the first of its nonzeros.
//
// It panics if colors has another length than NNZ or a number below −1; errors
// are those of w.
func (p *Pattern) SVG(w io.Writer, colors []int) error {
	d := p.draw(colors)
	px := d.pixels()
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" shape-rendering="crispEdges">`+"\n",
		d.w*px, d.h*px, d.w, d.h)
	fmt.Fprintf(b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", d.w, d.h)
	for i := range d.h {
		for j := 0; j < d.w; {
			c, start := d.at(i, j), j
			for j++; j < d.w && d.at(i, j) == c; j++ {
			}
			if c != 0 {
				ink := inks[inkOf(c, colors != nil)].(color.RGBA)
				fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="1" fill="#%02x%02x%02x"/>`+"\n",
					start, i, j-start, ink.R, ink.G, ink.B)
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.Flush()
}

// PNG writes the picture that SVG describes as a PNG image. A pattern without
// rows or columns gives one white pixel.
func (p *Pattern) PNG(w io.Writer, colors []int) error {
	d := p.draw(colors)
	px := d.pixels()
	img := image.NewPaletted(image.Rect(0, 0, max(d.w*px, 1), max(d.h*px, 1)), inks)
	for y := range d.h * px {
		line := img.Pix[y*img.Stride:]
		for x := range d.w * px {
			line[x] = inkOf(d.at(y/px, x/px), colors != nil)
		}
	}
	return png.Encode(w, img)
}

// draw checks colors.
func (p *Pattern) draw(colors []int) *drawing {
	if colors != nil && len(colors) != len(p.idx) {
		panic("sparsity: not one color a nonzero")
	}
	for _, c := range colors {
		if c < -1 || c > math.MaxInt32-2 {
			panic("sparsity: color out of range")
		}
	}
	return p.downSample(pictureCells, colors)
}

// pixels is the side of a cell: as large as fits.
func (d *drawing) pixels() int {
	return max(1, min(cellPixels, pictureCells/max(d.w, d.h, 1)))
}

// The inks: white, black, gray for no color, and those of the colors from 0 on,
// which repeat after the last.
var inks = makeInks()

const classInks = 256 - 3

// inkOf returns the ink of a cell of a drawing.
func inkOf(cell int32, colored bool) uint8 {
	switch {
	case cell == 0:
		return 0
	case !colored:
		return 1
	case cell == 1:
		return 2
	default:
		return uint8(3 + (cell-2)%classInks)
	}
}

// makeInks steps around the circle of hues by the golden angle, which keeps
// any run of consecutive colors apart, and varies the lightness.
func makeInks() color.Palette {
	inks := color.Palette{
		color.RGBA{255, 255, 255, 255},
		color.RGBA{0, 0, 0, 255},
		color.RGBA{170, 170, 170, 255},
	}
	for k := range classInks {
		hue := float64(6 * math.Mod(0.6+float64(float64(k)*0.6180339887498949), 1))
		lightness := [3]float64{0.45, 0.6, 0.33}[k/8%3]
		// HSL with saturation 0.7.
		chroma := 0.7 * (1 - math.Abs(2*lightness-1))
		channel := func(shift float64) uint8 {
			h := math.Mod(hue+shift, 6)
			v := min(max(min(h, 4-h), 0), 1)
			return uint8(math.Round(255 * (lightness + float64(chroma*(v-0.5)))))
		}
		inks = append(inks, color.RGBA{channel(2), channel(0), channel(4), 255})
	}
	return inks
}
