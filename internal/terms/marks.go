package terms

// marks maps the nodes of the term that is traced to its steps. It is a hash table as large
// as the largest term needs; an array by node would be most of the memory that detection
// touches.
type marks struct {
	slots []mark
	shift int   // there are 2³²⁻ˢʰⁱᶠᵗ slots
	now   int32 // the number of the term: marks with another one do not count
	count int
}

// mark says that a node is a step of term number now.
type mark struct{ now, node, step int32 }

// newMarks has room for 128 nodes, in the first-level cache.
func newMarks() marks { return marks{slots: make([]mark, 256), shift: 24} }

// clear removes all marks.
func (m *marks) clear() {
	m.now++
	m.count = 0
}

// slot is the slot of node i, or the free one where it is to be put: by Fibonacci hashing
// (Knuth, The Art of Computer Programming 3, 1998, 6.4), which spreads consecutive nodes.
func (m *marks) slot(i int32) *mark {
	mask := len(m.slots) - 1
	for k := int(uint32(i) * 0x9e3779b9 >> m.shift); ; k = (k + 1) & mask {
		if s := &m.slots[k&mask]; s.now != m.now || s.node == i {
			return s
		}
	}
}

// has reports whether node i has a mark.
func (m *marks) has(i int32) bool { return m.slot(i).now == m.now }

// step is the step that node i is, which must have a mark.
func (m *marks) step(i int32) int32 { return m.slot(i).step }

// add marks node i, if it has no mark, and reports whether it had none.
func (m *marks) add(i, step int32) bool {
	s := m.slot(i)
	if s.now == m.now {
		return false
	}
	*s = mark{m.now, i, step}
	if m.count++; 2*m.count > len(m.slots) {
		m.grow()
	}
	return true
}

// grow makes four times as many slots.
func (m *marks) grow() {
	old := m.slots
	m.slots = make([]mark, 4*len(old))
	m.shift -= 2
	for _, s := range old {
		if s.now == m.now {
			*m.slot(s.node) = s
		}
	}
}
