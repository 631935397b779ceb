package reverse

// Plain is a function as it was recorded.
var Plain = plain

// SetSideBySide has n lanes and more run side by side in a test.
func SetSideBySide(t interface{ Cleanup(func()) }, n int) {
	old := sideBySide
	sideBySide = n
	t.Cleanup(func() { sideBySide = old })
}
