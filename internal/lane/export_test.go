package lane

// Choose is choose.
var Choose = choose
