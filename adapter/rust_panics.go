package adapter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/inspect"
)

// A panic of Rust calls rust_panic when its message has been printed, before the stack is unwound. lldb-dap has no
// filter for it. So the session holds a breakpoint there, and a hit of it is an exception of the type panic. It stops
// by default, like one of Go; nobody can know yet whether it is caught (std::panic::catch_unwind).

const panicFunction = "rust_panic"

// panicBreakpoint is what the session holds for the panics of a Rust program.
func panicBreakpoint() *breakpoint.Breakpoint {
	return &breakpoint.Breakpoint{
		ID: inspect.PanicType, Spec: breakpoint.Spec{Kind: breakpoint.Function, Function: panicFunction}, Enabled: true,
		Temporary: true, StopReason: StopException,
	}
}

// isPanicFunction reports whether a frame is the one that each panic calls: rust_panic or __rustc::rust_panic.
func isPanicFunction(name string) bool {
	return name == panicFunction || strings.HasSuffix(name, "::"+panicFunction)
}

// wantsPanics reports whether panics of Rust stop the program: when an exception breakpoint asks for them, or when
// there is none.
func (s *Session) wantsPanics() bool {
	asked := false
	for _, bp := range s.manager.registry.ForSession(s.id) {
		if bp.Enabled && bp.Spec.Kind == breakpoint.Exception {
			if asked = true; bp.Spec.ExceptionType == "*" || bp.Spec.ExceptionType == inspect.PanicType {
				return s.held.Panics != nil
			}
		}
	}
	return s.held.Panics != nil && !asked
}

// panickedFirst names the stop after the thread that panics.
func (v *pendingStop) panickedFirst() {
	if p := v.panicked; p != nil {
		others := slices.DeleteFunc(slices.Clone(v.threads), func(th *stoppedThread) bool { return th == p })
		v.threads = append([]*stoppedThread{p}, others...)
	}
}

// examinePanic reads the message of a panic: the payload is the first argument of rust_panic, the table of its methods
// the second one. std::panic::resume_unwind only goes on with a panic that was reported before.
func (s *Session) examinePanic(t *turn, v *pendingStop) bool {
	e := &ExceptionStop{Exception: inspect.Exception{Type: inspect.PanicType, IsFirstChance: true, BreakMode: "always"},
		filter: inspect.PanicType, object: inspect.PanicType}
	v.thrown = thrown{state: examined, exception: e, told: true}
	questions := []string{"((unsigned long*)$arg2)[1]", "((void(**)())$arg2)[3]"}
	for i := range 4 {
		questions = append(questions, fmt.Sprintf("((unsigned long*)$arg1)[%d]", i))
	}
	got, ok := s.values(t, v.panicked, questions...)
	if !ok {
		return false
	}
	e.passing = strings.Contains(got[1].Result, "RewrapBox")
	words := make([]uint64, 5)
	for i, at := range []int{0, 2, 3, 4, 5} {
		words[i], _ = strconv.ParseUint(got[at].Result, 10, 64)
	}
	text, length := panicText(words[0], [4]uint64(words[1:]))
	if length == 0 {
		return true
	}
	got, ok = s.values(t, v.panicked, fmt.Sprintf("*(char(*)[%d])%#x", length, text))
	if !ok {
		return false
	}
	e.Message = wholeText(inspect.Displayed(s.profile.Language, got[0].Result, "char *"))
	return true
}

// wholeText removes the part of a character at the end, where a text was cut. It returns "" for what is no text.
func wholeText(s string) string {
	for range utf8.UTFMax {
		if utf8.ValidString(s) {
			return s
		}
		s = s[:len(s)-1]
	}
	return ""
}

// maxPanicText bounds the message that is read; LLDB shows 1,024 bytes.
const maxPanicText = 1000

// panicText returns where the text of a payload with these words is: that of a &str, of a String, or of a String beside
// the address of what it was formatted from. The length is 0 when the payload is no text.
func panicText(size uint64, words [4]uint64) (address, length uint64) {
	isAddress := func(word uint64) bool { return word >= 1<<16 }
	at := 0
	switch {
	case size == 24, size == 32 && !isAddress(words[0]):
		at = 1 // behind the capacity
	case size == 32:
		at = 2
	case size != 16:
		return 0, 0
	}
	if address, length = words[at], words[at+1]; !isAddress(address) || isAddress(length) {
		return 0, 0
	}
	return address, min(length, maxPanicText)
}
