package coloring

import "slices"

// dropUnused is the post-processing of a star or acyclic coloring in which every
// vertex has a color: it gives color 0, neutral, to the vertices of each color
// that recovery does not need, and numbers the others from 1 again. loop[v] says
// that the diagonal entry of v is wanted; nil says that none is.
//
// Needed are the color of a vertex with a diagonal entry, and of a vertex w with
// two neighbors of one color: in a star it is the hub, by whose color the edges
// are read, and a tree that is not a star has such vertices of both colors. An
// edge that is a tree of its own needs one of its two colors. Those are chosen
// last, first of all the color that serves more of them.
//
// O(n + m).
func dropUnused(g *graph, loop []bool, color []int32) {
	if loop != nil && !slices.Contains(loop, false) {
		return
	}
	k := count(color)
	needed := make([]bool, k+1)
	for v, l := range loop {
		if l {
			needed[color[v]] = true
		}
	}

	several := g.several(color)
	for v := range int32(g.len()) {
		for i := g.ptr[v]; i < g.ptr[v+1]; i++ {
			if several[i] {
				needed[color[v]] = true
				break
			}
		}
	}

	// The edges that nothing serves yet.
	rev := g.reverse()
	open := func(v, w int32, i int) bool {
		return v < w && !needed[color[v]] && !needed[color[w]] && !several[i] && !several[rev[i]]
	}
	serves := make([]int32, k+1)
	for v := range int32(g.len()) {
		for i, w := range g.row(v) {
			if open(v, w, int(g.ptr[v])+i) {
				serves[color[v]]++
				serves[color[w]]++
			}
		}
	}
	for v := range int32(g.len()) {
		for i, w := range g.row(v) {
			if !open(v, w, int(g.ptr[v])+i) {
				continue
			}
			if serves[color[v]] >= serves[color[w]] {
				needed[color[v]] = true
			} else {
				needed[color[w]] = true
			}
		}
	}

	number := make([]int32, k+1)
	next := int32(0)
	for c := 1; c <= k; c++ {
		if needed[c] {
			next++
			number[c] = next
		}
	}
	for v, c := range color {
		color[v] = number[c]
	}
}
