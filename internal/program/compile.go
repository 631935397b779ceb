package program

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// A sum of at least minChain additions becomes one operation; a shorter one
// stays binary, where additions of many alike terms share batches.
const minChain = 8

var negZero = math.Copysign(0, -1) // −0 + x is x for every x

// Compile makes a program of a recording: nodes that reach no output and no
// guard go away, equal nodes are kept once, long sums become one operation,
// and the rest is put in order by level and operation. It panics if r has an
// error. Cost: O(N) time and memory in N nodes.
func Compile(r *Recording, outputs []int32) *Program {
	if r.Err != nil {
		panic(r.Err)
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	c := &compiler{Recording: r, scratch: s, nodes: s.nodes[:0]}
	c.share(outputs, c.live(outputs))
	c.countUses()
	c.chains()
	p := c.arrange()
	s.nodes = c.nodes
	return p
}

// scratch is the memory of a compilation. It is used again, since a fresh one
// costs as much as the compilation itself.
type scratch struct {
	nodes                  []Node
	dead, in               []bool
	renumber, placed       []int32
	used, chain, levels    []int32
	byLevel, levelEnds, at []int32
	links                  []link
	table                  []uint64
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// zeroed is n zeros in the memory of x.
func zeroed[T any](x *[]T, n int) []T {
	if cap(*x) < n {
		*x = make([]T, n)
		return *x
	}
	*x = (*x)[:n]
	clear(*x)
	return *x
}

type compiler struct {
	*Recording
	*scratch

	nodes    []Node // without dead and double ones, operands renumbered
	outputs  []int32
	guard    []Guard
	list     []int32
	call     []call
	uses     []int32
	inner    []bool // whether a node has a nonlinear descendant
	constant map[uint64]int32
	seen     []uint64 // hash table of nodes: upper half of the hash, number + 1
	hashed   int      // how many nodes it has
}

// live marks the nodes that reach an output or a guard.
func (c *compiler) live(outputs []int32) []bool {
	live := zeroed(&c.dead, c.Len())
	for _, i := range outputs {
		live[i] = true
	}
	for i := range c.guards {
		live[c.guards[i].A] = true
		live[c.guards[i].B] = true
	}
	mark := func(i *int32) { live[*i] = true }
	for i := int32(len(live)) - 1; i >= 0; i-- {
		if !live[i] {
			continue
		}
		n := c.Node(i)
		switch args := n.Op.Operands(); {
		case args == 2:
			live[n.A], live[n.B] = true, true
		case args == 1:
			live[n.A] = true
		case n.Op == Call && n.B > 0:
			live[i-n.B] = true
		case n.Op.HasList():
			operands(n, c.lists, c.calls, mark)
		}
	}
	return live
}

// share copies the live nodes, each distinct one once.
func (c *compiler) share(outputs []int32, live []bool) {
	count, hashed := 0, 0
	for i, l := range live {
		if l {
			count++
			n := c.Node(int32(i))
			if (n.Op == Sum || n.Op == Dot) && n.B < minChain {
				count += 2 * int(n.B) // see expand
			}
			if n.Op.Operands() == 0 {
				hashed++
			}
		}
	}
	c.nodes = slices.Grow(c.nodes, count+c.inputs+c.params+8)
	c.links = slices.Grow(c.links[:0], cap(c.nodes)) // of the nodes that are appended
	c.seen = zeroed(&c.table, 2<<bits.Len(uint(hashed+16)))

	id := zeroed(&c.renumber, len(live))
	first := int32(c.inputs + c.params)
	renumber := func(i *int32) { *i = id[*i] }
	for i := range int32(len(live)) {
		if i < first {
			id[i] = i
			c.append(Node{})
			continue
		}
		if !live[i] && !(c.Node(i).Op == Call && live[i-c.Node(i).B]) {
			continue
		}
		n := *c.Node(i)
		switch args := n.Op.Operands(); {
		case args == 2:
			n.A, n.B = id[n.A], id[n.B]
		case args == 1:
			n.A = id[n.A]
		case n.Op.HasList():
			if id[i] = c.expand(n, id); id[i] >= 0 {
				continue
			}
			m := n // so that n need not be on the heap
			c.copyList(&m, renumber)
			id[i] = c.find(m)
			if m.Op != Call && int(id[i]) < len(c.nodes)-1 {
				c.list = c.list[:m.A] // it has its like
			}
			continue
		}
		id[i] = c.node(n)
	}
	c.outputs = make([]int32, len(outputs))
	for k, i := range outputs {
		c.outputs[k] = id[i]
	}
	c.guard = slices.Clone(c.guards)
	for k := range c.guard {
		g := &c.guard[k]
		g.A, g.B = id[g.A], id[g.B]
	}
}

// node is the number of a node, which is appended unless there is its like.
func (c *compiler) node(n Node) int32 {
	if alias := c.simplify(&n); alias >= 0 {
		return alias
	}
	return c.find(n)
}

// link is how a node is found by its last operand, the one with the largest
// number. Most operands have few users, made soon after them: these are in the
// cache, where the places of a hash table are not.
type link struct {
	newest int32 // of the nodes with this last operand, number + 1
	older  int32 // of those with the same last operand as this node
	users  int32 // how many there are with this one; at most maxUsers
}

// Nodes of which the last operand has maxUsers already are in a hash table.
const maxUsers = 8

func (c *compiler) append(n Node) int32 {
	c.nodes = append(c.nodes, n)
	c.links = append(c.links, link{})
	return int32(len(c.nodes)) - 1
}

// find is the number of a node in its cheapest form.
func (c *compiler) find(n Node) int32 {
	if args := n.Op.Operands(); args > 0 {
		last := n.A
		if args == 2 {
			last = max(n.A, n.B)
		}
		for k := c.links[last].newest; k > 0; k = c.links[k-1].older {
			if c.same(&c.nodes[k-1], &n) {
				return k - 1
			}
		}
		if c.links[last].users < maxUsers {
			i := c.append(n)
			l := &c.links[last]
			c.links[i].older = l.newest
			l.newest = i + 1
			l.users++
			return i
		}
	}
	if 4*c.hashed >= 3*len(c.seen) {
		c.rehash()
	}
	mask := uint64(len(c.seen) - 1)
	h := c.hash(&n)
	for k := h & mask; ; k = (k + 1) & mask {
		s := c.seen[k]
		if s == 0 {
			i := c.append(n)
			c.seen[k] = h&^math.MaxUint32 | uint64(i+1)
			c.hashed++
			return i
		}
		if (s^h)>>32 != 0 {
			continue
		}
		if i := int32(uint32(s)) - 1; c.same(&c.nodes[i], &n) {
			return i
		}
	}
}

// same reports whether two nodes are equal operations.
func (c *compiler) same(m, n *Node) bool {
	if m.Op != n.Op || m.B != n.B || math.Float64bits(m.C) != math.Float64bits(n.C) {
		return false
	}
	if !isShared(n.Op) {
		return m.A == n.A
	}
	mw, mx := c.operandsOf(m)
	nw, nx := c.operandsOf(n)
	return slices.Equal(mx, nx) && slices.EqualFunc(mw, nw, equalBits)
}

// isShared reports whether A is the place of a list that nodes may have alike. A
// Call is never like another: its function may be.
func isShared(op Op) bool { return op.HasList() && op != Call }

// operandsOf is the weights and the operands of a node with a list.
func (c *compiler) operandsOf(n *Node) (w []float64, x []int32) {
	switch n.Op {
	case Affine:
		k := c.list[n.A]
		return c.coefs[k : k+n.B], c.list[n.A+1 : n.A+1+n.B]
	case Dot:
		return nil, c.list[n.A : n.A+2*n.B]
	case Select:
		return nil, c.list[n.A : n.A+3]
	default:
		return nil, c.list[n.A : n.A+n.B]
	}
}

func (c *compiler) rehash() {
	old := c.seen
	c.seen = make([]uint64, 4*len(old))
	mask := uint64(len(c.seen) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		k := c.hash(&c.nodes[uint32(s)-1]) & mask
		for c.seen[k] != 0 {
			k = (k + 1) & mask
		}
		c.seen[k] = s
	}
}

// expand makes a short sum of products from operations with one or two
// operands, which form batches; it returns −1 for a long one.
func (c *compiler) expand(n Node, id []int32) int32 {
	if n.B == 0 || n.B >= minChain {
		return -1
	}
	list := c.lists[n.A:]
	var term func(k int32) int32
	switch n.Op {
	case Sum:
		term = func(k int32) int32 { return id[list[k]] }
	case Affine:
		if n.B > 1 {
			return -1 // has batches of its own
		}
		term = func(k int32) int32 {
			return c.node(Node{Op: Scale, A: id[list[1+k]], C: c.coefs[list[0]+k]})
		}
	case Dot:
		term = func(k int32) int32 {
			return c.node(Node{Op: Mul, A: id[list[k]], B: id[list[n.B+k]]})
		}
	default:
		return -1
	}
	s := term(0)
	if n.C != 0 {
		s = c.node(Node{Op: AddReal, A: s, C: n.C})
	}
	for k := int32(1); k < n.B; k++ {
		s = c.node(Node{Op: Add, A: s, B: term(k)})
	}
	return s
}

func (c *compiler) hash(n *Node) uint64 {
	a := uint64(uint32(n.A))
	if isShared(n.Op) {
		w, x := c.operandsOf(n)
		a = 0
		for _, i := range x {
			a = (a ^ uint64(i)) * 0x9e3779b97f4a7c15
		}
		for _, w := range w {
			a = (a ^ math.Float64bits(w)) * 0x9e3779b97f4a7c15
			a ^= a >> 32
		}
	}
	h := a<<32 | uint64(uint32(n.B))
	h = (h ^ a>>32 ^ uint64(n.Op)<<57 ^ math.Float64bits(n.C)) * 0x9e3779b97f4a7c15
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// copyList moves the operands of a node to the compiled lists.
func (c *compiler) copyList(n *Node, renumber func(*int32)) {
	at := int32(len(c.list))
	switch n.Op {
	case Sum:
		c.list = append(c.list, c.lists[n.A:n.A+n.B]...)
	case Affine:
		c.list = append(c.list, c.lists[n.A:n.A+1+n.B]...)
	case Dot:
		c.list = append(c.list, c.lists[n.A:n.A+2*n.B]...)
	case Select:
		c.list = append(c.list, c.lists[n.A:n.A+3]...)
	case Call:
		if n.B > 0 {
			n.A = int32(len(c.call)) - 1
			return
		}
		old := c.calls[n.A]
		c.list = append(c.list, c.lists[old.args:old.args+old.n]...)
		c.call = append(c.call, call{f: old.f, args: at, n: old.n})
		n.A = int32(len(c.call)) - 1
		operands(n, c.list, c.call, renumber)
		return
	}
	n.A = at
	operands(n, c.list, nil, renumber)
}

// simplify puts a node into its cheapest form with the same values, or returns
// the node that it is equal to; else −1.
func (c *compiler) simplify(n *Node) int32 {
	switch n.Op {
	case Add, Mul, Prod:
		if n.A > n.B {
			n.A, n.B = n.B, n.A
		}
		if n.Op != Add {
			if n.A == n.B {
				*n = Node{Op: Square, A: n.A}
			}
			break
		}
		if m := &c.nodes[n.B]; m.Op == Neg {
			*n = Node{Op: Sub, A: n.A, B: m.A}
		} else if m := &c.nodes[n.A]; m.Op == Neg {
			*n = Node{Op: Sub, A: n.B, B: m.A}
		}
	case Sub:
		if m := &c.nodes[n.B]; m.Op == Neg {
			*n = Node{Op: Add, A: min(n.A, m.A), B: max(n.A, m.A)}
		}
	case Neg:
		if m := &c.nodes[n.A]; m.Op == Neg {
			return m.A
		}
	case DivReal:
		if frac, _ := math.Frexp(n.C); math.Abs(frac) == 0.5 && 1/n.C != 0 && !math.IsInf(1/n.C, 0) {
			n.Op, n.C = Scale, 1/n.C
			return c.simplify(n)
		}
	case Scale:
		switch n.C {
		case 1:
			return n.A
		case -1:
			n.Op, n.C = Neg, 0
			return c.simplify(n)
		}
		if m := &c.nodes[n.A]; m.Op == Neg {
			n.A, n.C = m.A, -n.C
		}
	}
	return -1
}

// countUses counts how often each node is an operand, an output or guarded;
// 0 means that it is not needed. It also marks the inner nodes, those whose
// tangent or second-order adjoint can matter to a Hessian.
func (c *compiler) countUses() {
	c.uses = zeroed(&c.used, len(c.nodes))
	c.inner = zeroed(&c.in, len(c.nodes))
	uses, inner := c.uses, c.inner
	for _, i := range c.outputs {
		uses[i]++
	}
	for k := range c.guard {
		uses[c.guard[k].A]++
		uses[c.guard[k].B]++
	}
	for i := len(c.nodes) - 1; i >= c.inputs+c.params; i-- {
		n := &c.nodes[i]
		if uses[i] == 0 && n.Op != Call {
			continue
		}
		in := inner[i] || !n.Op.Linear()
		switch args := n.Op.Operands(); {
		case args == 2:
			uses[n.A]++
			uses[n.B]++
			inner[n.A] = inner[n.A] || in
			inner[n.B] = inner[n.B] || in
		case args == 1:
			uses[n.A]++
			inner[n.A] = inner[n.A] || in
		case n.Op.HasList():
			if n.Op == Call {
				uses[i]++ // all outputs of a call stay together
				if first := i - int(n.B); inner[i] {
					inner[first] = true
				}
			}
			operands(n, c.list, c.call, func(j *int32) {
				uses[*j]++
				inner[*j] = inner[*j] || in
			})
		}
	}
}

// chains turns s = s + t₁, s = s + t₂, … into one sum that adds in the same
// order, where the sums between are used only there. Otherwise every addition
// of such a loop would be a level of its own.
func (c *compiler) chains() {
	first := int32(c.inputs + c.params)
	length := zeroed(&c.chain, len(c.nodes))
	link := func(i int32) int32 { // additions in the chain that ends at i
		if c.uses[i] != 1 {
			return 0
		}
		return length[i]
	}
	for i := first; int(i) < len(c.nodes); i++ {
		switch n := &c.nodes[i]; n.Op {
		case Add:
			length[i] = 1 + max(link(n.A), link(n.B))
		case Sub, AddReal:
			length[i] = 1 + link(n.A)
		}
	}
	var terms []int32
	var signs []float64
	for i := int32(len(c.nodes)) - 1; i >= first; i-- {
		if length[i] < minChain || c.uses[i] == 0 {
			continue
		}
		terms, signs = terms[:0], signs[:0]
		constant, minus := negZero, false
		term := func(j int32, sign float64) {
			terms, signs = append(terms, j), append(signs, sign)
			minus = minus || sign < 0
		}
		for j := i; ; {
			n := c.nodes[j]
			if j != i {
				c.uses[j] = 0
			}
			if n.Op == Add && link(n.B) > link(n.A) {
				n.A, n.B = n.B, n.A
			}
			last := link(n.A) == 0
			switch {
			case n.Op == Add:
				term(n.B, 1)
			case n.Op == Sub:
				term(n.B, -1)
			case last:
				constant = n.C
			default:
				term(c.constantNode(n.C), 1)
			}
			if last {
				term(n.A, 1)
				break
			}
			j = n.A
		}
		slices.Reverse(terms)
		slices.Reverse(signs)
		at := int32(len(c.list))
		if minus {
			c.list = append(c.list, int32(len(c.coefs)))
			c.coefs = append(c.coefs, signs...)
			c.nodes[i] = Node{Op: Affine, A: at, B: int32(len(terms)), C: constant}
		} else {
			c.nodes[i] = Node{Op: Sum, A: at, B: int32(len(terms)), C: constant}
		}
		c.list = append(c.list, terms...)
	}
}

// constantNode is a node with the value x.
func (c *compiler) constantNode(x float64) int32 {
	if c.constant == nil {
		c.constant = map[uint64]int32{}
	}
	i, ok := c.constant[math.Float64bits(x)]
	if !ok {
		i = int32(len(c.nodes))
		c.nodes = append(c.nodes, Node{Op: Const, C: x})
		c.uses = append(c.uses, 1)
		c.inner = append(c.inner, false)
		c.constant[math.Float64bits(x)] = i
	}
	return i
}
