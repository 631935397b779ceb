package source

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// CheckPackage says what is wrong with the name of a package.
func CheckPackage(name string) error {
	if !token.IsIdentifier(name) || name == "_" {
		return fmt.Errorf("%q is no name of a package", name)
	}
	return nil
}

// CheckName says why name cannot be declared: it is no identifier, or Go or generated
// code has another meaning for it.
func CheckName(name string) error {
	switch {
	case token.IsKeyword(name):
		return fmt.Errorf("%q is a keyword of Go", name)
	case !token.IsIdentifier(name) || name == "_":
		return fmt.Errorf("%q is no identifier of Go", name)
	case types.Universe.Lookup(name) != nil || name == "init":
		return fmt.Errorf("%q means something else in Go", name)
	case name == "math" || name == "main":
		return fmt.Errorf("%q means something else in generated code", name)
	}
	return nil
}

// Names are the names in use in one function.
type Names map[string]bool

// Add takes a name, which must be free.
func (s Names) Add(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if s[name] {
		return fmt.Errorf("%q is there twice", name)
	}
	s[name] = true
	return nil
}

// Fresh is name, or name with underscores if it is in use.
func (s Names) Fresh(name string) string {
	for s[name] || CheckName(name) != nil {
		name += "_"
	}
	s[name] = true
	return name
}

// Family is a prefix, made of name, for names that end in a number: none of them is in
// use.
func (s Names) Family(name string) string {
	taken := func(prefix string) bool {
		for used := range s {
			if len(used) > len(prefix) && used[:len(prefix)] == prefix {
				if _, err := strconv.Atoi(used[len(prefix):]); err == nil {
					return true
				}
			}
		}
		return false
	}
	for taken(name) {
		name += "_"
	}
	return name
}

// Upper is s with a capital.
func Upper(s string) string {
	if s == "" {
		return ""
	}
	c, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(c)) + s[n:]
}
