package tape

import "unsafe"

// NodeSize is how many bytes a node takes.
const NodeSize = unsafe.Sizeof(Node{})

// LimitSize has recordings of more than n nodes and operands fail until the
// function that it returns is called.
func LimitSize(n int) func() {
	old := maxSize
	maxSize = n
	return func() { maxSize = old }
}
