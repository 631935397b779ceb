package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func Example() {
	main()
	// Output:
	// -8.25 [-5 0 0 1]
	// ⎡ 8  -6   0   0⎤
	// ⎢-6  11  -5   0⎥
	// ⎢ 0  -5   9  -4⎥
	// ⎣ 0   0  -4   4⎦ <nil>
	// [2.0000 3.8177 5.5886 7.2710] <nil>
}

// The README shows these files.
func TestReadmeBeginsWithThisProgram(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	for name, from := range map[string]string{
		"energy.go": "package main", "energy_lifted.go": "// EnergyOf", "main.go": "package main",
	} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		_, rest, found := strings.Cut(string(text), from)
		require.True(t, found)
		require.Contains(t, string(readme), "```go\n"+from+strings.TrimRight(rest, "\n")+"\n```\n", name)
	}
}
