package program

import "math"

// Accuracy is what derivatives may be off by, relative to the largest of the
// numbers that are summed up in them (see LargestFirst and LargestSecond): each
// operation adds a few errors of half a unit in the last place.
func (p *Program) Accuracy() float64 { return 64 * 0x1p-53 * float64(1+p.Roundings()) }

// Missed is the row in which the product got of a recovered matrix with a vector
// differs most from want, that of a sweep, if it is by more than rounding: else
// −1. The rounding errors are relative to largest, what the sweep summed up, or
// to sizes, what each row did, since that may cancel; a chain of depth
// substitutions adds up those of its elements. The function may amplify those of
// its values, for which a row has 10⁻⁹ of its size.
func (p *Program) Missed(got, sizes, want []float64, largest float64, depth int) int {
	unit := float64(p.Accuracy() * float64(1+depth))
	row, most := -1, 0.0
	for i := range got {
		tolerance := unit * largest
		if s := float64((unit + 1e-9) * sizes[i]); s-s == 0 {
			tolerance = max(tolerance, s)
		}
		same := got[i] == want[i] || got[i] != got[i] && want[i] != want[i]
		if d := math.Abs(got[i] - want[i]); !same && !(d <= max(most, tolerance)) {
			row, most = i, d
		}
	}
	return row
}
