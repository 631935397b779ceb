package reverse

// Plain is a function as it was recorded.
var Plain = plain

// SetSideBySide has n lanes and more run side by side in a test.
func SetSideBySide(t interface{ Cleanup(func()) }, n int) {
	old := sideBySide
	sideBySide = n
	t.Cleanup(func() { sideBySide = old })
}

// WithShortLoop has do run with loops of n operations written out in terms and steps at most.
func WithShortLoop(n int, do func()) {
	defer func(old int) { shortLoop = old }(shortLoop)
	shortLoop = n
	do()
}
