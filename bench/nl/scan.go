package nl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// A SyntaxError says that a file is not what it should be.
type SyntaxError struct {
	Line int // in a text file or the header, from 1
	Byte int // in a binary file after the header, from 0; Line is 0 then
	What string
}

func (e *SyntaxError) Error() string { return "nl: " + place(e.Line, e.Byte) + ": " + e.What }

// An UnsupportedError says that a file has something that is not read.
type UnsupportedError struct {
	Line, Byte int // as in SyntaxError
	What       string
}

func (e *UnsupportedError) Error() string {
	return "nl: " + place(e.Line, e.Byte) + ": " + e.What + " is not supported"
}

func place(line, at int) string {
	if line > 0 {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("byte %d", at)
}

// A scanner reads the numbers and letters of a file. Its methods panic with the
// error, which Read recovers.
type scanner struct {
	data  []byte
	at    int
	line  int
	order binary.ByteOrder // nil in text
}

func (s *scanner) fail(format string, args ...any) {
	e := &SyntaxError{What: fmt.Sprintf(format, args...)}
	e.Line, e.Byte = s.place()
	panic(e)
}

func (s *scanner) refuse(format string, args ...any) {
	e := &UnsupportedError{What: fmt.Sprintf(format, args...)}
	e.Line, e.Byte = s.place()
	panic(e)
}

func (s *scanner) place() (line, at int) {
	if s.order == nil {
		return s.line, 0
	}
	return 0, s.at
}

// recovered makes an error of what fail and refuse raise.
func recovered(err *error) {
	switch e := recover().(type) {
	case nil:
	case *SyntaxError:
		*err = e
	case *UnsupportedError:
		*err = e
	default:
		panic(e)
	}
}

// left is how many bytes follow.
func (s *scanner) left() int { return len(s.data) - s.at }

// key is the letter that begins a segment or an operand, 0 at the end of the file.
func (s *scanner) key() byte {
	if s.order == nil {
		for s.skipSpace(); s.at < len(s.data) && (s.data[s.at] == '\n' || s.data[s.at] == '#'); s.skipSpace() {
			s.endLine()
		}
	}
	if s.at == len(s.data) {
		return 0
	}
	s.at++
	return s.data[s.at-1]
}

func (s *scanner) skipSpace() {
	for s.at < len(s.data) && (s.data[s.at] == ' ' || s.data[s.at] == '\t' || s.data[s.at] == '\r') {
		s.at++
	}
}

// endLine goes to the next line of a text file.
func (s *scanner) endLine() {
	if s.order != nil {
		return
	}
	k := bytes.IndexByte(s.data[s.at:], '\n')
	if k < 0 {
		s.at = len(s.data)
		return
	}
	s.at += k + 1
	s.line++
}

// token is what comes next on the line, up to a space or a comment.
func (s *scanner) token() []byte {
	s.skipSpace()
	begin := s.at
	for s.at < len(s.data) && s.data[s.at] > ' ' && s.data[s.at] != '#' {
		s.at++
	}
	return s.data[begin:s.at]
}

// take is the next k bytes of a binary file.
func (s *scanner) take(k int, what string) []byte {
	if s.left() < k {
		s.fail("the file ends where %s should be", what)
	}
	s.at += k
	return s.data[s.at-k : s.at]
}

// int is an integer, of 32 bits in a binary file. What stands in errors.
func (s *scanner) int(what string) int {
	if s.order != nil {
		return int(int32(s.order.Uint32(s.take(4, what))))
	}
	t := s.token()
	v, err := strconv.ParseInt(string(t), 10, 32)
	if err != nil {
		s.expected(what, t)
	}
	return int(v)
}

// short is an integer of 16 bits in a binary file.
func (s *scanner) short(what string) int {
	if s.order != nil {
		return int(int16(s.order.Uint16(s.take(2, what))))
	}
	return s.int(what)
}

// below is an integer from 0 to end − 1.
func (s *scanner) below(end int, what string) int {
	v := s.int(what)
	if v < 0 || v >= end {
		s.fail("%s is %d, not from 0 to %d", what, v, end-1)
	}
	return v
}

// size is an integer that is not negative.
func (s *scanner) size(what string) int { return s.below(math.MaxInt32, what) }

// count is how many of something follow, of a byte or more each.
func (s *scanner) count(what string) int {
	n := s.size(what)
	if n > s.left() {
		s.fail("%s is %d, more than %d bytes can hold", what, n, s.left())
	}
	return n
}

func (s *scanner) float(what string) float64 {
	if s.order != nil {
		return math.Float64frombits(s.order.Uint64(s.take(8, what)))
	}
	t := s.token()
	v, err := strconv.ParseFloat(string(t), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // that is ±Inf
		s.expected(what, t)
	}
	return v
}

func (s *scanner) expected(what string, got []byte) {
	if len(got) == 0 {
		s.fail("%s is missing", what)
	}
	s.fail("%s is %.20q, no number or out of range", what, got)
}

// name is that of a function or a suffix.
func (s *scanner) name(what string) string {
	if s.order == nil {
		return string(s.token())
	}
	return string(s.take(s.size("the length of "+what), what))
}
