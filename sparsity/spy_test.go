package sparsity

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSpyShowsEachPositionOfASmallPattern(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := drawDims(t)
		a := drawTable(t, rows, cols)
		var want strings.Builder
		for i := range rows {
			if cols == 0 {
				break
			}
			var line []string
			for j := range cols {
				line = append(line, map[bool]string{true: "●", false: "·"}[a.in[i][j]])
			}
			want.WriteString(strings.Join(line, " ") + "\n")
		}
		require.Equal(t, want.String(), a.pattern().Spy(40))
	})
}

// undot turns braille lines, without their brackets, back into a table.
func undot(text string, rows, cols int) *table {
	u := newTable(rows, cols)
	for y, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		runes := []rune(line)
		for x, r := range runes[1 : len(runes)-1] {
			for bit, at := range [8][2]int{{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 0}, {3, 1}} {
				if (r-0x2800)>>bit&1 != 0 {
					u.in[4*y+at[0]][2*x+at[1]] = true
				}
			}
		}
	}
	return u
}

func TestSpyDrawsALargerPatternInDots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 40).Draw(t, "rows"), rapid.IntRange(21, 40).Draw(t, "cols")
		a := drawTable(t, rows, cols)
		requireTable(t, undot(a.pattern().Spy(22), rows, cols), a.pattern())
	})
}

func TestSpyFitsItsWidth(t *testing.T) {
	for _, p := range []*Pattern{Arrow(100_000, 3), Full(1, 5000), Full(5000, 1), Banded(50, 0, 49), Full(12, 3000)} {
		for _, width := range []int{4, 5, 17, 40, 0} {
			text := p.Spy(width)
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			limit := width
			if width == 0 {
				limit = 80
			}
			require.LessOrEqual(t, len(lines), max(limit/2, 1))
			for _, line := range lines {
				require.LessOrEqual(t, utf8.RuneCountInString(line), limit)
				require.Equal(t, utf8.RuneCountInString(lines[0]), utf8.RuneCountInString(line))
			}
			require.Equal(t, text, p.Spy(width))
		}
	}
}

func TestDownSamplingShowsTheFirstNonzeroOfABlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 60).Draw(t, "rows"), rapid.IntRange(1, 60).Draw(t, "cols")
		a := drawTable(t, rows, cols)
		p := a.pattern()
		size := rapid.IntRange(1, 20).Draw(t, "size")
		d := p.downSample(size, nil)
		require.LessOrEqual(t, max(d.w, d.h), size)
		numbered := make([]int, p.NNZ())
		first := make([]int32, d.w*d.h)
		for i := range rows {
			for j := range cols {
				if k := p.Position(i, j); k >= 0 {
					numbered[k] = k
					if cell := &first[i*d.h/rows*d.w+j*d.w/cols]; *cell == 0 {
						*cell = 2 + int32(k)
					}
				}
			}
		}
		require.Equal(t, first, p.downSample(size, numbered).cells)
		for c, v := range first {
			require.Equal(t, min(v, 1), d.cells[c])
		}
	})
}

// pixels reads a PNG.
func pixels(t *testing.T, p *Pattern, colors []int) image.Image {
	var b, again bytes.Buffer
	require.NoError(t, p.PNG(&b, colors))
	require.NoError(t, p.PNG(&again, colors))
	require.Equal(t, b.Bytes(), again.Bytes())
	img, err := png.Decode(&b)
	require.NoError(t, err)
	return img
}

func TestPictureShowsColors(t *testing.T) {
	p := Banded(6, 1, 1)
	white := color.RGBA{255, 255, 255, 255}
	img := pixels(t, p, nil)
	side := img.Bounds().Dx() / 6
	at := func(i, j int) color.RGBA {
		return color.RGBAModel.Convert(img.At(j*side+side/2, i*side+side/2)).(color.RGBA)
	}
	for i := range 6 {
		for j := range 6 {
			require.Equal(t, p.Has(i, j), at(i, j) == color.RGBA{0, 0, 0, 255})
			require.Equal(t, !p.Has(i, j), at(i, j) == white)
		}
	}

	classes := []int{0, 1, 2, 0, 1, -1}
	img = pixels(t, p, p.ByColumn(classes))
	byColumn := map[int]color.RGBA{}
	for i := range 6 {
		for _, j := range p.Row(i) {
			c := at(i, int(j))
			require.NotEqual(t, white, c)
			if seen, ok := byColumn[classes[j]]; ok {
				require.Equal(t, seen, c)
			}
			byColumn[classes[j]] = c
		}
	}
	distinct := map[color.RGBA]bool{}
	for _, c := range byColumn {
		distinct[c] = true
	}
	require.Len(t, distinct, 4)

	rowwise := p.ByRow(classes)
	for i := range 6 {
		for _, j := range p.Row(i) {
			require.Equal(t, classes[i], rowwise[p.Position(i, int(j))])
		}
	}
}

func TestColorClassesDiffer(t *testing.T) {
	seen := map[color.Color]bool{}
	for _, c := range inks {
		seen[c] = true
	}
	require.Len(t, seen, len(inks))
	require.Len(t, inks, 256)
}

// svg is what SVG writes.
type svg struct {
	Width   int    `xml:"width,attr"`
	Height  int    `xml:"height,attr"`
	ViewBox string `xml:"viewBox,attr"`
	Rects   []struct {
		X      int    `xml:"x,attr"`
		Y      int    `xml:"y,attr"`
		Width  int    `xml:"width,attr"`
		Height int    `xml:"height,attr"`
		Fill   string `xml:"fill,attr"`
	} `xml:"rect"`
}

func TestSVGAndPNGShowTheSame(t *testing.T) {
	for _, p := range []*Pattern{Banded(7, 2, 1), BoxStencil(30, 30), Full(3, 5), Full(0, 0), Full(0, 4), FromCoordinates(900, 2, []int{899}, []int{1})} {
		for _, colors := range [][]int{nil, p.ByColumn(make([]int, p.cols)), p.ByRow(make([]int, p.rows))} {
			for k := range colors {
				colors[k] = k%7 - 1
			}
			var b bytes.Buffer
			require.NoError(t, p.SVG(&b, colors))
			var s svg
			require.NoError(t, xml.Unmarshal(b.Bytes(), &s))
			img := pixels(t, p, colors)
			if p.rows == 0 || p.cols == 0 {
				require.Len(t, s.Rects, 1)
				continue
			}
			require.Equal(t, image.Rect(0, 0, s.Width, s.Height), img.Bounds())
			var w, h int
			_, err := fmt.Sscanf(s.ViewBox, "0 0 %d %d", &w, &h)
			require.NoError(t, err)
			fill := make([]string, w*h)
			for _, r := range s.Rects {
				for y := r.Y; y < r.Y+r.Height; y++ {
					for x := r.X; x < r.X+r.Width; x++ {
						fill[y*w+x] = r.Fill
					}
				}
			}
			for y := range h {
				for x := range w {
					r, g, b, _ := img.At(x*s.Width/w, y*s.Height/h).RGBA()
					require.Equal(t, fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8), fill[y*w+x])
				}
			}
		}
	}
}

func TestPicturesOfLargePatternsAreSmall(t *testing.T) {
	for _, p := range []*Pattern{Arrow(100_000, 50_000), Full(1000, 1000), FromCoordinates(1, 1<<20, []int{0}, []int{1 << 19})} {
		var b bytes.Buffer
		require.NoError(t, p.SVG(&b, nil))
		require.Less(t, b.Len(), 1<<20)
		require.LessOrEqual(t, pixels(t, p, nil).Bounds().Dx(), pictureCells)
	}
}
