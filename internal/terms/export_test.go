package terms

// ShareAll makes all evaluations by several goroutines worth sharing, until
// undo is called.
func ShareAll() (undo func()) {
	old := worthSharing
	worthSharing = -1
	return func() { worthSharing = old }
}
