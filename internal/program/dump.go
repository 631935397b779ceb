package program

import "fmt"

func (p *Program) Dump() string {
	s := ""
	for i, b := range p.batches {
		if i > 40 {
			s += "..."
			break
		}
		if b.op == mixed {
			s += fmt.Sprintf("mixed %d\n", b.hi-b.lo)
			continue
		}
		s += fmt.Sprintf("%v %d..%d a=%v b=%v\n", b.op, b.lo, b.hi, b.a, b.b)
	}
	return s
}
