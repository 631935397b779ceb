package nl

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// ReadFile is Read of a file.
func ReadFile(name string) (*Problem, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

// Read reads a .nl file, text or binary. The error is a *SyntaxError, an
// *UnsupportedError or that of r. Cost: memory and time linear in the length of the file,
// at most some 60 bytes a byte.
func Read(r io.Reader) (p *Problem, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	defer recovered(&err)
	d := reader{scanner: scanner{data: data, line: 1}, Problem: new(Problem)}
	d.header()
	for {
		k := d.key()
		if k == 0 && d.left() == 0 {
			break
		}
		d.segment(k)
	}
	d.check()
	return d.Problem, nil
}

// A reader makes a problem of a file.
type reader struct {
	scanner
	*Problem

	functions map[int]string

	// What has been read; known are the numbers of definitions, from 1.
	objective, constraint, gradient, row []bool
	known                                []int32
	bounds, ranges                       bool

	frames []frame
}

// header reads the ten lines that both kinds of file begin with. What it
// allocates for their numbers the rest of the file must be long enough for.
func (d *reader) header() {
	arithmetic := d.firstLine()
	var h [11][]int // by line, from 1
	for line := 2; line <= 10; line++ {
		h[line] = d.numbers(line)
	}
	get := func(line, k int) int {
		if k >= len(h[line]) {
			return 0
		}
		return h[line][k]
	}
	n, m, objectives := get(2, 0), get(2, 1), get(2, 2)
	defined := get(10, 0)
	for k := 1; k < 5; k++ {
		defined = int(min(int64(defined)+int64(get(10, k)), math.MaxInt32))
	}
	// A variable, a constraint has a bound in the file, an objective and a defined
	// variable a segment, each of a byte or more.
	if all := int64(n) + int64(m) + int64(objectives) + int64(defined); all > int64(d.left()) {
		d.fail("%d variables, constraints and objectives by the header are more than %d bytes can tell of", all, d.left())
	}
	if n == 0 {
		d.refuse("a problem without variables")
	}
	if k := get(2, 5); k > 0 {
		d.refuse("a logical constraint")
	}
	d.Status = get(6, 3)&1 != 0
	if arithmetic {
		switch k := get(6, 2); k {
		case 0, 1:
			d.order = binary.LittleEndian
		case 2:
			d.order = binary.BigEndian
		default:
			d.refuse("arithmetic of kind %d, which is not IEEE's,", k)
		}
	}
	infinite := func(n, sign int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Inf(sign)
		}
		return x
	}
	d.X0, d.XLower, d.XUpper = make([]float64, n), infinite(n, -1), infinite(n, 1)
	d.Y0, d.CLower, d.CUpper = make([]float64, m), infinite(m, -1), infinite(m, 1)
	d.objectives, d.Maximize = make([]expression, objectives), make([]bool, objectives)
	d.constraints = make([]expression, m)
	d.objective, d.gradient = make([]bool, objectives), make([]bool, objectives)
	d.constraint, d.row = make([]bool, m), make([]bool, m)
	d.known = make([]int32, defined)
	d.integers(h[5], h[7])
}

// firstLine is such as "g3 1 1 0 # problem name"; it reports whether the file is
// binary.
func (d *reader) firstLine() bool {
	kind := d.key()
	if kind != 'g' && kind != 'b' {
		d.fail("a .nl file begins with g or b")
	}
	const most = 9
	k := d.below(most+1, "the number of options")
	for range k {
		d.Options = append(d.Options, d.int("an option"))
	}
	if k > 1 && d.Options[1] == 3 {
		d.Tolerance = d.float("the tolerance of the options")
	}
	end := bytes.IndexByte(d.data[d.at:], '\n')
	if end < 0 {
		d.fail("the file ends in its first line")
	}
	if _, name, ok := strings.Cut(string(d.data[d.at:d.at+end]), "# problem "); ok {
		d.Name = strings.TrimSpace(name)
	}
	d.endLine()
	return kind == 'b'
}

// numbers are those of a line of the header.
func (d *reader) numbers(line int) (z []int) {
	const most = 16
	for len(z) < most {
		if d.skipSpace(); d.left() == 0 {
			d.fail("the file ends in line %d of the ten of its header", line)
		}
		if c := d.data[d.at]; c == '\n' || c == '#' {
			break
		}
		z = append(z, d.size("a number of the header"))
	}
	d.endLine()
	return z
}

// integers marks the integer variables: the last of each group that line 5 of
// the header makes of those that are not linear, and the last of all.
func (d *reader) integers(nonlinear, discrete []int) {
	number := func(z []int, k int) int {
		if k >= len(z) {
			return 0
		}
		return z[k]
	}
	inCons, inObjs, inBoth := number(nonlinear, 0), number(nonlinear, 1), number(nonlinear, 2)
	begin := 0
	group := func(end, integers int) {
		switch {
		case integers == 0:
		case end > len(d.X0) || integers > end-begin:
			d.fail("%d integer variables are more than there are of their kind, by the header", integers)
		default:
			if d.Integer == nil {
				d.Integer = make([]bool, len(d.X0))
			}
			for i := end - integers; i < end; i++ {
				d.Integer[i] = true
			}
		}
		begin = max(begin, end)
	}
	group(inBoth, number(discrete, 2))
	group(inCons, number(discrete, 3))
	group(max(inCons, inObjs), number(discrete, 4))
	group(len(d.X0), number(discrete, 0)+number(discrete, 1))
}

// segment reads what begins with the letter k.
func (d *reader) segment(k byte) {
	switch k {
	case 'C':
		i := d.below(len(d.constraints), "the number of a constraint")
		d.endLine()
		d.once(d.constraint, i, "constraint")
		d.constraints[i].code = d.expression()
	case 'O':
		i := d.below(len(d.objectives), "the number of an objective")
		d.Maximize[i] = d.below(2, "the sense of an objective") == 1
		d.endLine()
		d.once(d.objective, i, "objective")
		d.objectives[i].code = d.expression()
	case 'V':
		d.definition()
	case 'J':
		i := d.below(len(d.constraints), "the number of a constraint")
		d.once(d.row, i, "the linear part of constraint")
		d.constraints[i].linear = d.linearPart()
	case 'G':
		i := d.below(len(d.objectives), "the number of an objective")
		d.once(d.gradient, i, "the linear part of objective")
		d.objectives[i].linear = d.linearPart()
	case 'b':
		d.endLine()
		d.bounds = d.limits(d.bounds, "variables", d.XLower, d.XUpper)
	case 'r':
		d.endLine()
		d.ranges = d.limits(d.ranges, "constraints", d.CLower, d.CUpper)
	case 'x':
		d.start(d.X0, "a variable")
	case 'd':
		d.start(d.Y0, "a constraint")
	case 'k', 'K':
		n := d.count("the number of columns")
		d.endLine()
		for range n {
			d.size("the size of a column")
			d.endLine()
		}
	case 'S':
		d.suffix()
	case 'F':
		i := d.size("the number of a function")
		d.size("the kind of a function")
		d.int("the number of its arguments")
		if d.functions == nil {
			d.functions = map[int]string{}
		}
		d.functions[i] = d.name("the name of a function")
		d.endLine()
	case 'L':
		d.refuse("a logical constraint")
	default:
		d.fail("%q begins no segment: expected one of C, O, V, J, G, b, r, x, d, k, K, S, F", k)
	}
}

// once notes that segment i has been read.
func (d *reader) once(seen []bool, i int, what string) {
	if seen[i] {
		d.fail("%s %d stands there twice", what, i)
	}
	seen[i] = true
}

// definition reads a defined variable.
func (d *reader) definition() {
	n := len(d.X0)
	i := d.below(n+len(d.known), "the number of a defined variable")
	if i < n {
		d.fail("v%d is a variable and cannot be defined", i)
	}
	if d.known[i-n] > 0 {
		d.fail("v%d is defined twice", i)
	}
	terms := d.count("the number of linear terms")
	d.int("the use of a defined variable")
	d.endLine()
	linear := d.linearTerms(terms)
	code := d.expression()
	d.defined = append(d.defined, expression{linear, code})
	d.known[i-n] = int32(len(d.defined))
}

// linearPart reads the number of terms and these.
func (d *reader) linearPart() span {
	n := d.count("the number of linear terms")
	d.endLine()
	return d.linearTerms(n)
}

// linearTerms reads terms, of which those are left out that are 0 and only tell of
// a variable of the nonlinear part.
func (d *reader) linearTerms(n int) span {
	s := span{begin: d.length(len(d.linear))}
	for range n {
		x := d.below(len(d.X0), "the variable of a linear term")
		c := d.float("the coefficient of a linear term")
		d.endLine()
		if c != 0 {
			d.linear = append(d.linear, linearTerm{int32(x), c})
		}
	}
	s.end = d.length(len(d.linear))
	return s
}

// length is n as a position in what is read.
func (d *reader) length(n int) int32 {
	if n > math.MaxInt32 {
		d.refuse("a file of more than 2³¹ operations")
	}
	return int32(n)
}

// limits reads the bounds on all variables or constraints.
func (d *reader) limits(seen bool, what string, lower, upper []float64) bool {
	if seen {
		d.fail("the bounds on the %s stand there twice", what)
	}
	for i := range lower {
		switch k := d.key(); k {
		case '0':
			lower[i] = d.float("a lower bound")
			upper[i] = d.float("an upper bound")
		case '1':
			upper[i] = d.float("an upper bound")
		case '2':
			lower[i] = d.float("a lower bound")
		case '3':
		case '4':
			lower[i] = d.float("the value of an equation")
			upper[i] = lower[i]
		case '5':
			d.refuse("complementarity")
		default:
			d.fail("a bound on the %s begins with 0, 1, 2, 3 or 4, not %q", what, k)
		}
		if lower[i] != lower[i] || upper[i] != upper[i] {
			d.fail("a bound is not a number")
		}
		d.endLine()
	}
	return true
}

// start reads values of some variables or multipliers.
func (d *reader) start(x []float64, what string) {
	n := d.count("the number of values")
	d.endLine()
	for range n {
		i := d.below(len(x), "the number of "+what)
		x[i] = d.float("a value")
		d.endLine()
	}
}

// suffix skips one.
func (d *reader) suffix() {
	const real = 4
	kind := d.size("the kind of a suffix")
	n := d.count("the number of values of a suffix")
	d.name("the name of a suffix")
	d.endLine()
	for range n {
		d.size("an index of a suffix")
		if kind&real != 0 {
			d.float("a value of a suffix")
		} else {
			d.int("a value of a suffix")
		}
		d.endLine()
	}
}

// check is for what may be missing.
func (d *reader) check() {
	if !d.bounds {
		d.fail("the file ends without the bounds on the variables (b)")
	}
	if !d.ranges && len(d.constraints) > 0 {
		d.fail("the file ends without the bounds on the constraints (r)")
	}
	for i := range d.constraints {
		if !d.constraint[i] && !d.row[i] {
			d.fail("the file ends without constraint %d", i)
		}
	}
	for i := range d.objectives {
		if !d.objective[i] && !d.gradient[i] {
			d.fail("the file ends without objective %d", i)
		}
	}
}

// A frame is an operator whose operands are being read.
type frame struct {
	instruction
	line, at int // where it stands
	left     int // operands to be read
	have     int // operands that have been
	from, to int // of them, those that are logical
}

// expression reads one in Polish notation and appends its instructions, operands
// first.
func (d *reader) expression() span {
	s := span{begin: d.length(len(d.code))}
	d.frames = d.frames[:0]
	for {
		if f, open := d.operand(); open {
			d.frames = append(d.frames, f)
			continue
		}
		for { // an operand is complete
			if len(d.frames) == 0 {
				s.end = d.length(len(d.code))
				return s
			}
			f := &d.frames[len(d.frames)-1]
			if f.have >= f.from && f.have < f.to {
				d.logical()
			}
			f.have++
			if f.left--; f.left > 0 {
				break
			}
			d.close(f)
			d.frames = d.frames[:len(d.frames)-1]
		}
	}
}

// operand reads a number or a variable, or an operator, which is to be opened.
func (d *reader) operand() (f frame, open bool) {
	switch k := d.key(); k {
	case 'n':
		d.constant(d.float("a number"))
	case 's':
		d.constant(float64(d.short("a number")))
	case 'l':
		d.constant(float64(d.int("a number")))
	case 'v':
		d.reference()
	case 'o':
		return d.operator(), true
	case 'f':
		i := d.size("the number of a function")
		d.refuse("the external function %.40q", d.functions[i])
	case 'h':
		d.refuse("a string")
	default:
		d.fail("%q begins no expression: expected one of n, s, l, v, o", k)
	}
	d.endLine()
	return f, false
}

func (d *reader) constant(v float64) {
	d.code = append(d.code, instruction{number, d.length(len(d.consts))})
	d.consts = append(d.consts, v)
}

// reference reads the number of a variable or a defined one.
func (d *reader) reference() {
	n := len(d.X0)
	i := d.below(n+len(d.known), "the number of a variable")
	if i >= n {
		k := d.known[i-n]
		if k == 0 {
			d.fail("v%d is not defined yet", i)
		}
		i = n + int(k) - 1
	}
	d.code = append(d.code, instruction{variable, int32(i)})
}

// operator reads an operator and how many operands it has.
func (d *reader) operator() frame {
	code := d.int("an operator")
	if code < 0 || code >= len(operators) || operators[code].name == "" {
		d.fail("there is no operator o%d", code)
	}
	op := operators[code]
	if op.refused {
		d.refuse("the operator %s (o%d)", op.name, code)
	}
	f := frame{instruction: instruction{op: uint8(code)}, line: d.line, at: d.at, left: op.operands, from: op.from, to: op.to}
	d.endLine()
	switch {
	case op.operands == many:
		f.left = d.count("the number of operands")
		if f.left == 0 {
			d.fail("%s (o%d) has no operands", op.name, code)
		}
		f.arg = int32(f.left)
		d.endLine()
	case code == piecewise:
		f.arg = d.slopes()
	}
	return f
}

// slopes reads those of a piecewise-linear term and its breakpoints.
func (d *reader) slopes() int32 {
	n := d.count("the number of slopes")
	if n < 1 {
		d.fail("a piecewise-linear term has no slopes")
	}
	d.endLine()
	begin := d.length(len(d.consts))
	d.consts = append(d.consts, float64(n))
	for k := range 2*n - 1 {
		switch c := d.key(); c {
		case 'n':
			d.consts = append(d.consts, d.float("a slope or breakpoint"))
		case 's':
			d.consts = append(d.consts, float64(d.short("a slope or breakpoint")))
		case 'l':
			d.consts = append(d.consts, float64(d.int("a slope or breakpoint")))
		default:
			d.fail("%q begins no slope or breakpoint: expected one of n, s, l", c)
		}
		if last := len(d.consts) - 1; k%2 == 1 && k > 2 && !(d.consts[last] > d.consts[last-2]) {
			d.fail("breakpoints do not increase")
		}
		d.endLine()
	}
	return begin
}

// logical makes the last operand 0 or 1.
func (d *reader) logical() {
	last := d.code[len(d.code)-1]
	if last.op != truth && (int(last.op) >= len(operators) || !operators[last.op].logical) {
		d.code = append(d.code, instruction{op: truth})
	}
}

// close appends an operator after its operands.
func (d *reader) close(f *frame) {
	i, last := f.instruction, d.code[len(d.code)-1]
	switch i.op {
	case power, powConst:
		if last.op != number {
			i.op = power
			break
		}
		d.code = d.code[:len(d.code)-1]
		i = instruction{powConst, last.arg}
	case round, trunc:
		const most = 300
		here := d.scanner
		here.line, here.at = f.line, f.at
		if last.op != number {
			here.refuse("%s to a number of digits that varies", operators[i.op].name)
		}
		digits := d.consts[last.arg]
		if digits != math.Trunc(digits) || math.Abs(digits) > most {
			here.fail("%s to %v digits", operators[i.op].name, digits)
		}
		d.code = d.code[:len(d.code)-1]
		i.arg = int32(digits)
	}
	d.code = append(d.code, i)
}

// String is the problem in a line.
func (p *Problem) String() string {
	integers := 0
	for _, x := range p.Integer {
		if x {
			integers++
		}
	}
	return fmt.Sprintf("%d variables (%d integer), %d constraints, %d objectives", len(p.X0), integers, len(p.constraints), len(p.objectives))
}
