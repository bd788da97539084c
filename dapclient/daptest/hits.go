package daptest

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// hit returns the reason to stop at the line that t has reached, nil for none. from is the depth t came from.
func (e *engine) hit(t *thread, from int) *halt {
	var h *halt
	add := func(b *entry, reason string) {
		stops, bad := e.takesHit(t, b)
		if bad != nil {
			if h == nil {
				h = bad
			}
			return
		}
		if !stops {
			return
		}
		if h == nil {
			h = &halt{thread: t, reason: reason}
		}
		h.ids = append(h.ids, b.id)
	}
	for _, b := range e.lines[t.cur.File] {
		if b.bound == t.cur.Line {
			add(&b.entry, "breakpoint")
		}
	}
	if len(e.functions) > 0 && t.cur.Depth() > from {
		for _, b := range e.functions {
			if b.verified && matchesFunction(t.cur.Func, b.name) {
				reason := "breakpoint"
				if e.shape.Family == FamilyDelve {
					reason = "function breakpoint"
				}
				add(&b.entry, reason)
			}
		}
	}
	return h
}

// matchesFunction compares "Ns.Class.Method()" with "Method", "Class.Method", "Mod!Ns.Class.Method(int)".
func matchesFunction(fn, name string) bool {
	clean := func(s string) string {
		s, _, _ = strings.Cut(s, "(")
		return typeParameters().ReplaceAllString(s, "")
	}
	_, after, found := strings.Cut(name, "!")
	if !found {
		after = name
	}
	fn, name = clean(fn), clean(after)
	return fn == name || strings.HasSuffix(fn, "."+name) || strings.HasSuffix(fn, "::"+name)
}

// typeParameters matches those of .NET, in metadata and in the names of frames.
var typeParameters = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\\b(`\\d+|<[^<>]*>)") })

// takesHit checks condition, hit condition and log message of one entry.
func (e *engine) takesHit(t *thread, b *entry) (stops bool, bad *halt) {
	if stops, ours := e.takesHelper(t, b.condition); ours {
		return stops, nil
	}
	if b.condition != "" {
		v, err := e.evalIn(t, 0, b.condition, "breakpoint")
		ok := false
		if err == nil {
			ok, err = e.holds(v)
		}
		if err != nil {
			return e.badCondition(t, b, err)
		}
		if !ok {
			if e.shape.Family == FamilyDelve && b.template != "" && e.step.thread == t && e.stepEnds(&t.cur) {
				e.logPoint(t, b) // measured: Delve logs where a step ends, whatever the condition says
			}
			e.passes(t)
			return false, nil
		}
	}
	b.hits++
	if b.hit != "" {
		if ok, err := e.hitCondition(b.hit, b.hits); err != nil || !ok {
			e.passes(t)
			return false, nil
		}
	}
	if b.template != "" && (e.call == nil || e.call.interrupted) { // measured: a log point interrupts a call
		e.logPoint(t, b)
		e.passes(t)
		return false, nil
	}
	return true, nil
}

// passes sends the event with which lldb-dap reports each resume of its own.
func (e *engine) passes(t *thread) {
	if e.shape.Family == FamilyLLDB {
		e.continuedEvent(t.id)
	}
}

// holds reports whether a condition is true. C and Python accept numbers too.
func (e *engine) holds(v Var) (bool, error) {
	if e.shape.Family == FamilyLLDB || e.shape.Family == FamilyDebugpy {
		if n, err := strconv.ParseFloat(v.Value, 64); err == nil {
			return n != 0, nil
		}
	}
	return truth(v)
}

func (e *engine) badCondition(t *thread, b *entry, err error) (bool, *halt) {
	switch e.shape.BadCondition {
	case BadConditionReports:
		b.message = fmt.Sprintf("The condition for a breakpoint failed to execute. The condition was '%s'. The error "+
			"returned was '%s'.",
			b.condition, e.evalMessage(err))
		e.output("stderr", fmt.Sprintf("Breakpoint error: %s - %s:%d\n", b.message, t.cur.File, t.cur.Line))
		e.changed(b, t.cur.File, t.cur.Line)
		return true, nil
	case BadConditionException:
		return false, &halt{thread: t, reason: "exception", description: "runtime error",
			text: "error evaluating expression: " + e.evalMessage(err)}
	case BadConditionStops:
		e.output("stderr", "error: "+e.evalMessage(err)+"\n")
		return true, nil
	}
	return false, nil
}

// hitCondition evaluates a hit condition as the shape does.
func (e *engine) hitCondition(cond string, hits int) (bool, error) {
	if e.shape.Family == FamilyLLDB { // only a leading integer is read, and means from then on
		n := 0
		for i := 0; i < len(cond) && isDigit(cond[i]); i++ {
			n = n*10 + int(cond[i]-'0')
		}
		return hits >= n, nil
	}
	return hitFilter(cond, hits)
}

func hitFilter(cond string, hits int) (bool, error) {
	op := strings.TrimRight(cond, "0123456789 ")
	n, err := strconv.Atoi(strings.TrimSpace(cond[len(op):]))
	if err != nil {
		return false, err
	}
	switch strings.TrimSpace(op) {
	case "", "==":
		return hits == n, nil
	case ">=":
		return hits >= n, nil
	case ">":
		return hits > n, nil
	case "<":
		return hits < n, nil
	case "<=":
		return hits <= n, nil
	case "%":
		return n > 0 && hits%n == 0, nil
	}
	return false, errors.New("unknown operator " + op)
}
