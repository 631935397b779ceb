// Package thousands is imported by tests for its effect: rapid then tries 2,000
// programs a property instead of 100, unless the flag -rapid.checks says
// otherwise. A long run is
//
//	go test ./internal/randprog -rapid.checks 1000000 -timeout 0
package thousands

import (
	"flag"

	_ "pgregory.net/rapid" // has the flag
)

func init() {
	if err := flag.Set("rapid.checks", "2000"); err != nil {
		panic(err)
	}
}
