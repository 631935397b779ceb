package scan

// OneByOne has do run with all steps one by one, not in blocks.
func OneByOne(do func()) {
	defer func(n int) { leastBlock = n }(leastBlock)
	leastBlock = mostBlock + 1
	do()
}
