package lane

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// xgetbv is the low half of the register that says which states the operating
// system saves.
func xgetbv() (a uint32)

// best is the best set of instructions that the processor and the operating
// system have, -1 for none: Intel, Software Developer's Manual, volume 1, 14.3
// and 15.2.
func best() int {
	const (
		fma, osxsave, avx        = 1 << 12, 1 << 27, 1 << 28
		avx2Bit, bmi2            = 1 << 5, 1 << 8
		avx512f, avx512dq        = 1 << 16, 1 << 17
		registers, wideRegisters = 0x6, 0xe6
	)
	has := func(x, bits uint32) bool { return x&bits == bits }
	if most, _, _, _ := cpuid(0, 0); most < 7 {
		return none
	}
	if _, _, c, _ := cpuid(1, 0); !has(c, fma|osxsave|avx) {
		return none
	}
	saved := xgetbv()
	_, b, _, _ := cpuid(7, 0)
	switch {
	case has(b, avx2Bit|bmi2|avx512f|avx512dq) && has(saved, wideRegisters):
		return avx512
	case has(b, avx2Bit) && has(saved, registers):
		return avx2
	}
	return none
}

// fuses reports whether the compiler rounds x·y + z once. Then package math, too,
// was compiled so.
//
//go:noinline
func fuses(x, y, z float64) bool { return x*y+z != float64(x*y)+z }
