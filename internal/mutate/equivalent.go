package main

// An equivalence is a mutant that no test can tell from the original.
type equivalence struct {
	file, from, to string
	why            string
}

var equivalent = []equivalence{}
