package program_test

import (
	"fmt"
	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/reverse"
	"testing"
)

func TestDump(t *testing.T) {
	for _, p := range problems.All {
		if p.Name == "bratu" || p.Name == "helmholtz" {
			continue
		}
		n := 1000
		if p.Name == "rnn" {
			n = 8
		}
		in := p.At(n)
		tp, _ := reverse.Record(in.X0, problems.Func[reverse.Var](in))
		fmt.Println(p.Name)
		fmt.Println(tp.Program().Dump())
	}
}
