package op

import "reflect"

// recorders is, by the type of the numbers, what takes a whole function or loop of them as
// one operation.
var recorders = map[reflect.Type]any{}

// SetRecorder says that r does so for numbers of type T. Packages call it when they are
// initialized.
func SetRecorder[T any](r any) { recorders[reflect.TypeFor[T]()] = r }

// Recorder is what does so for numbers of type T, nil if nothing does. Packages dual and
// dual/matrix ask it for the methods that they can use.
func Recorder[T any]() any { return recorders[reflect.TypeFor[T]()] }
