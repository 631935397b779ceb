package plan

// WithoutStrips has p make products over the whole program; InStrips has it go by
// strips, and reports whether it can.
func (p *Plan) WithoutStrips() { p.striping.Do(func() {}) }

func (p *Plan) InStrips() bool { p.findStrips(); return p.strips != nil }
