package compile

// Span is the nodes Lo … Hi−1, none if Hi ≤ Lo.
type Span struct{ Lo, Hi int32 }

// Intersects reports whether a node is in both.
func (s Span) Intersects(t Span) bool { return max(s.Lo, t.Lo) < min(s.Hi, t.Hi) }

// Union is the smallest span that holds both.
func (s Span) Union(t Span) Span {
	switch {
	case s.Hi <= s.Lo:
		return t
	case t.Hi <= t.Lo:
		return s
	}
	return Span{min(s.Lo, t.Lo), max(s.Hi, t.Hi)}
}

// Len is the number of nodes.
func (s Span) Len() int32 { return s.Hi - s.Lo }

// extend adds i, greater than all before, to ascending spans.
func extend(x []Span, i int32) []Span {
	if k := len(x) - 1; k >= 0 && x[k].Hi == i {
		x[k].Hi++
		return x
	}
	return append(x, Span{i, i + 1})
}
