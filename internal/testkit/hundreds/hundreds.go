// Package hundreds is imported by tests for its effect: rapid then tries 500
// programs a property instead of 100, and the same ones in each run, so that a
// change and not luck makes a test fail. Other programs, and more of them, by
// flags:
//
//	go test ./internal/testkit/randprog -rapid.seed 0 -rapid.checks 1000000 -timeout 0
package hundreds

import (
	"flag"

	_ "pgregory.net/rapid" // has the flag
)

func init() {
	for name, value := range map[string]string{"rapid.checks": "500", "rapid.seed": "1"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}
