package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestColumnsAreAligned(t *testing.T) {
	tab := table{text: 2, head: []string{"name", "gives", "f", "×f"}}
	tab.add("rosen", "wᵀHv", "9.99 µs", "13.8")
	tab.add("a", "Hv", none, "1234")
	tab.add("é", "", "1 ns", none)
	var b bytes.Buffer
	tab.print(&b)
	assert.Equal(t, ""+
		"name   gives        f    ×f\n"+
		"rosen  wᵀHv   9.99 µs  13.8\n"+
		"a      Hv           –  1234\n"+
		"é                1 ns     –\n", b.String())
}

func TestNumbersHaveThreeDigits(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.126: "0.13", 1: "1.00", 9.994: "9.99", -2.5: "-2.50",
		10: "10.0", 99.94: "99.9", 100: "100", 12345.6: "12346"} {
		assert.Equal(t, want, digits(x))
	}
	for s, want := range map[float64]string{2: "2.00 s", 0.5: "500 ms", 1e-3: "1.00 ms", 4.5e-5: "45.0 µs",
		3.21e-7: "321 ns", 2e-9: "2.00 ns"} {
		assert.Equal(t, want, duration(s))
	}
}
