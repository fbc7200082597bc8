// Package stacked gives errors a stack, and prints it with %+v in the shape that Go's error libraries share:
// message, then function and place of every frame, the innermost error first.
package stacked

import (
	"fmt"
	"io"
	"runtime"
)

type withStack struct {
	cause   error
	message string
	callers []uintptr
}

// Wrap gives an error a message and the caller's stack.
func Wrap(cause error, message string) error {
	callers := make([]uintptr, 32)
	return &withStack{cause, message, callers[:runtime.Callers(2, callers)]}
}

func (w *withStack) Error() string { return w.message + ": " + w.cause.Error() }

func (w *withStack) Unwrap() error { return w.cause }

func (w *withStack) Format(state fmt.State, verb rune) {
	if verb != 'v' || !state.Flag('+') {
		_, _ = io.WriteString(state, w.Error())
		return
	}
	_, _ = fmt.Fprintf(state, "%+v\n%s", w.cause, w.message)
	frames := runtime.CallersFrames(w.callers)
	for {
		frame, more := frames.Next()
		_, _ = fmt.Fprintf(state, "\n%s\n\t%s:%d", frame.Function, frame.File, frame.Line)
		if !more {
			return
		}
	}
}
