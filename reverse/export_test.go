package reverse

// Plain is a function as it was recorded.
var Plain = plain
