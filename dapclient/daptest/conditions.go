package daptest

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"
)

// Programs under debugpy run the helper of breakwire's conditions (package tracepoints). The fake does not run Python:
// it reads the helper's arguments from the call and does the same.

// helperCall matches the arguments of the call: id, condition, operator and number of the hit condition, hits before.
var helperCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`_breakwire_pass_\d+\)\[1\]\)\("([\w-]+)",("(?:[^"\\]|\\.)*"),"([=<>%]*)",(\d+),(\d+),` +
		`g,l\)\)`)
})

// passed are the counts of one id in the program.
type passed struct{ hits, silent, missed int }

// takesHelper does what the helper does at a pass. ours is false when the condition is no call of it.
func (e *engine) takesHelper(t *thread, condition string) (stops, ours bool) {
	m := helperCall().FindStringSubmatch(condition)
	if m == nil {
		return false, false
	}
	text, err := strconv.Unquote(m[2])
	if err != nil {
		text = m[2]
	}
	if e.passed == nil {
		e.passed = map[string]*passed{}
	}
	p := e.passed[m[1]]
	if p == nil {
		p = &passed{}
		e.passed[m[1]] = p
	}
	base, _ := strconv.Atoi(m[5])
	report := func(kind, failure string) {
		e.output("stdout", fmt.Sprintf("\x1e%s%s\x1f%s\x1e\n", kind, m[1], mustJSON([]any{t.id, p.silent, p.missed,
			map[bool]any{true: nil, false: failure}[failure == ""]})))
	}
	met, failure := true, ""
	if text != "" {
		v, err := e.evalIn(t, 0, text, "breakpoint")
		if err == nil {
			met, err = e.holds(v)
		}
		if err != nil {
			failure = e.evalMessage(err)
		}
	}
	if failure == "" && !met {
		p.missed++
		report("C", "")
		return false, true
	}
	p.hits = max(p.hits, base) + 1
	if failure == "" && m[3] != "" {
		if due, err := hitFilter(m[3]+m[4], p.hits); err != nil || !due {
			p.silent++
			report("C", "")
			return false, true
		}
	}
	report("H", failure)
	return true, true
}
