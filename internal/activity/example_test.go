package activity_test

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/activity"
)

// operations are those of package math.
func operations(fn *types.Func) activity.Use {
	if fn.Pkg() != nil && fn.Pkg().Path() == "math" {
		return activity.Use{As: activity.Operation}
	}
	return activity.Use{}
}

func Example() {
	p, err := activity.Load("testdata/energy", "")
	if err != nil {
		panic(err)
	}
	a := activity.New(p, operations)
	if _, err := a.Root("Energy", nil); err != nil {
		panic(err)
	}
	a.Run()
	for _, in := range a.All {
		var active []string
		for v, place := range in.Vars {
			if place.HoldsActive() {
				active = append(active, v.Name())
			}
		}
		slices.Sort(active)
		fmt.Println(in.Fn.Name()+":", strings.Join(active, " "))
	}

	a = activity.New(p, operations)
	if _, err := a.Root("Keep", nil); err != nil {
		panic(err)
	}
	a.Run()
	fmt.Println(p.Report(a.Faults)[0])
	// Output:
	// Energy:  e x
	// stretch:  d length
	// energy.go:33:2: package variable last would receive an active value: keep what depends on the inputs in a local variable, or in a copy of the slice (slices.Clone); declare functions by func
}
