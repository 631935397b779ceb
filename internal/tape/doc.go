// Package tape holds functions as lists of elementary operations.
package tape
