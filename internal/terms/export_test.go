package terms

// ShareAll makes all evaluations by several goroutines worth sharing, until
// undo is called.
func ShareAll() (undo func()) {
	old := manyInstructions
	manyInstructions = 0
	return func() { manyInstructions = old }
}
