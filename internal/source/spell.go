package source

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
)

// Number is c as an expression that has its value, of type float64 where it could be
// taken for a whole number.
func (f *File) Number(c float64) string {
	switch {
	case c != c:
		return f.std("math") + ".NaN()"
	case math.IsInf(c, 0):
		sign := "1"
		if c < 0 {
			sign = "-1"
		}
		return f.std("math") + ".Inf(" + sign + ")"
	case c == 0 && math.Signbit(c):
		return f.std("math") + ".Copysign(0, -1)"
	}
	return strconv.FormatFloat(c, 'g', -1, 64)
}

// Integers is x as the elements of a composite literal, and the type that they take.
func Integers(x []int32) (kind string, elements []string) {
	kind, elements = "uint16", make([]string, len(x))
	for k, v := range x {
		elements[k] = strconv.Itoa(int(v)) + ","
		if v < 0 || v > math.MaxUint16 {
			kind = "int32"
		}
	}
	return kind, elements
}

// inner is a number as an operand of an operator.
func inner(c string) string {
	if c[0] == '-' {
		return "(" + c + ")"
	}
	return c
}

// Value is the operation code, which has one or two operands and is no primitive, on
// the expressions x and y, which are names or numbers, and the constant c. A product is
// rounded.
func (f *File) Value(code op.Code, c float64, x, y string) string {
	k := f.Number(c)
	info := code.Info()
	switch code {
	case op.AddReal: // a difference has the same bits
		if k[0] == '-' {
			return x + " - " + k[1:]
		}
	case op.Sqrt:
		return f.Call(elem.Sqrt, x)
	case op.Abs, op.Floor, op.Ceil, op.Trunc, op.Round:
		return f.Call(info.F1, x)
	}
	if info.Source != "" {
		s := substitute(info.Source, map[string]string{"x": x, "y": y, "c": inner(k)})
		if strings.Contains(info.Source, "*") {
			s = "float64(" + s + ")"
		}
		return s
	}
	switch {
	case info.F1 != nil:
		return f.Call(info.F1, x)
	case info.Constant == op.IntConstant:
		return f.Call(info.Kernels[0], x, strconv.Itoa(int(c)))
	case info.FC != nil:
		return f.Call(info.FC, x, k)
	case info.F2 != nil:
		return f.Call(info.F2, x, y)
	}
	panic("source: no operation " + code.String())
}

// FirstOf is the first partial derivative of an operation of class Unary, v being its value and
// c its constant, an expression.
func (f *File) FirstOf(code op.Code, c, x, v string) string {
	switch info := code.Info(); {
	case info.FC == nil:
		return f.Call(info.D1, x, v)
	case info.Constant == op.IntConstant:
		return f.Call(info.Kernels[1], x, "int("+c+")", v)
	default:
		return f.Call(info.DC, x, c, v)
	}
}

// First2 is an expression with the two partial derivatives of an operation of class Binary.
func (f *File) First2(code op.Code, x, y, v string) string {
	return f.Call(code.Info().D2, x, y, v)
}

// Call is a function of package math or elem applied to args, which are names or
// numbers. Of package elem the file has a copy, or what the function returns, if that
// is one expression.
func (f *File) Call(fn any, args ...string) string {
	full := runtime.FuncForPC(reflect.ValueOf(fn).Pointer()).Name()
	if name, ok := strings.CutPrefix(full, "math."); ok {
		return fmt.Sprintf("%s.%s(%s)", f.std("math"), name, strings.Join(args, ", "))
	}
	name, ok := strings.CutPrefix(full, module+"/internal/elem.")
	if !ok {
		panic("source: no source of " + full)
	}
	return f.copies.call(f, name, args)
}

// Several is an operation on the list x of so many operands as it always has, with the orders
// of differentiation of the constant c.
func (f *File) Several(code op.Code, c float64, x []string) string {
	order := op.Orders(c)
	switch code {
	case op.FMA:
		return f.Call(math.FMA, x...)
	case op.IncGamma:
		return f.Call(elem.RegIncGamma, append(x[:2:2], orders(order[:2])...)...)
	case op.IncBeta:
		return f.Call(elem.RegIncBeta, append(x[:3:3], orders(order[:])...)...)
	}
	panic("source: no operation " + code.String())
}

func orders(n []int) (s []string) {
	for _, n := range n {
		s = append(s, strconv.Itoa(n))
	}
	return s
}

// Total is statements that add values to the variable z, in pairs, so that few additions wait
// for each other. The operator and the comment are those of the first statement.
func Total(z, operator, comment string, values []string) (text string) {
	const most = 16
	for len(values) > 0 {
		n := min(most, len(values))
		text += fmt.Sprintf("%s %s %s%s\n", z, operator, balanced(values[:n]), comment)
		values, operator, comment = values[n:], "+=", ""
	}
	return text
}

func balanced(x []string) string {
	switch len(x) {
	case 1:
		return x[0]
	case 2:
		return x[0] + " + " + x[1]
	}
	part := func(x []string) string {
		if len(x) == 1 {
			return x[0]
		}
		return "(" + balanced(x) + ")"
	}
	k := (len(x) + 1) / 2
	return part(x[:k]) + " + " + part(x[k:])
}
