package terms

// ShareAll makes all evaluations that cost anything worth sharing, until
// undo is called.
func ShareAll() (undo func()) {
	old := worthSharing
	worthSharing = 0
	return func() { worthSharing = old }
}
