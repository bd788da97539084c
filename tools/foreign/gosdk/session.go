package main

import (
	"fmt"
	"regexp"
	"time"
)

const (
	hitLine = 12 // `return result` in Work
	passes  = 150
)

var (
	inWork = regexp.MustCompile(`main\.Work`)
	inMain = regexp.MustCompile(`main\.main`)
)

// run is a script of tool calls. After the first failure the other calls do nothing.
type run struct {
	*client
	err error
}

// check prints that a part of the session succeeded.
func (r *run) check(what string) {
	if r.err == nil {
		fmt.Println("ok ", what)
	}
}

// expect calls a tool and compares parts of its result.
func (r *run) expect(tool string, args object, pairs ...any) object {
	if r.err != nil {
		return nil
	}
	got, err := r.call(tool, args)
	if err == nil {
		err = want(got, pairs...)
	}
	if err != nil {
		r.err = fmt.Errorf("%s %v: %w", tool, args, err)
	}
	return got
}

// settled launches and expects the resulting state. The launch waits for it only briefly; on a busy machine it may
// take longer.
func (r *run) settled(launch object, pairs ...any) {
	got := r.expect("debug_launch", launch)
	if r.err == nil && at(got, "session.state") == "running" {
		r.expect("breakpoint_wait", object{})
		got = r.expect("debug_state", object{})
	}
	if r.err == nil {
		if err := want(got, pairs...); err != nil {
			r.err = fmt.Errorf("debug_launch %v: %w", launch, err)
		}
	}
}

func (r *run) fails(tool string, args object, code string) {
	r.expect(tool, args, "success", false, "error.code", code)
}

func (r *run) hits(n int) {
	if r.quiet {
		return
	}
	got := r.received("debugger/breakpointHit")
	for deadline := time.Now().Add(patience); r.http && len(got) < n && time.Now().
		Before(deadline); got = r.received("debugger/breakpointHit") {
		time.Sleep(time.Millisecond) // notifications come over another connection than the response
	}
	if r.err == nil && len(got) != n {
		r.err = fmt.Errorf("%d hit notifications before the response, want %d: %v", len(got), n, got)
	}
}

func session(c *client, loop, source, longrun string) error {
	r := &run{client: c}
	r.fails("evaluate", object{"expression": "1"}, "NO_SESSION")
	set := r.expect("breakpoint_set", object{"file": source, "line": hitLine}, "success", true, "breakpoint.state",
		"pending")
	bp := at(set, "breakpoint.id")
	r.settled(object{"program": loop, "args": []string{fmt.Sprint(passes)}, "backend": "dlv", "stop_at_entry": false},
		"session.state", "paused", "stop.reason", "breakpoint", "stop.breakpointIds", []any{bp}, "stop.hitCount", 1,
		"stop.location.file", source, "stop.location.line", hitLine)
	r.hits(1)
	r.check("launch to the first hit")

	for n := 2; n <= 5; n++ {
		r.expect("debug_continue", object{}, "success", true)
		r.expect("breakpoint_wait", object{"timeout_ms": 10000}, "hit", true, "reason", "hit", "breakpointId", bp,
			"stop.hitCount", n)
		r.hits(n)
	}
	r.check("four more hits, waited for")

	r.expect("stacktrace_get", object{}, "frames.0.function", inWork, "frames.0.location.line", hitLine,
		"frames.1.function", inMain)
	r.expect("variables_get", object{"names": []string{"square"}}, "variables.0.name", "square", "variables.0.value", "16")
	r.expect("evaluate", object{"expression": "square * 2 + i"}, "value", "36")
	r.fails("evaluate", object{"expression": "nosuch"}, "EVAL_FAILED")
	r.check("stack, variables, evaluation")

	r.expect("breakpoint_enable", object{"id": bp, "enabled": false}, "breakpoint.state", "disabled")
	for _, step := range []struct {
		mode  string
		line  int
		where *regexp.Regexp
	}{{"out", 27, inMain}, {"over", 28, inMain}, {"over", 29, inMain}, {"over", 26, inMain}, {"over", 27, inMain},
		{"in", 9, inWork}, {"out", 27, inMain}} {
		r.expect("debug_step", object{"mode": step.mode}, "reason", "step", "stop.location.line", step.line,
			"stop.location.functionName", step.where)
	}
	r.expect("breakpoint_enable", object{"id": bp}, "breakpoint.state", "bound")
	r.check("step out, over and in")

	r.expect("breakpoint_set", object{"file": source, "line": hitLine, "condition": "i == 50"}, "duplicate", true,
		"breakpoint.id", bp)
	r.expect("debug_continue", object{"wait": true}, "stop.reason", "breakpoint", "stop.hitCount", 6)
	r.hits(6)
	r.expect("evaluate", object{"expression": "i"}, "value", "50")
	r.check("condition")

	r.expect("breakpoint_remove", object{"id": bp}, "removed", []any{bp})
	r.expect("debug_continue", object{"wait": true}, "reason", "exited", "session.state", "terminated",
		"session.exitCode", 0)
	r.expect("process_read_output", object{"stream": "stdout"}, "output.0.text", regexp.MustCompile(`^start 150\n`))
	r.fails("breakpoint_wait", object{"timeout_ms": 100}, "NO_SESSION")
	r.check("exit code and output")

	r.expect("debug_launch", object{"program": longrun, "backend": "dlv", "stop_at_entry": false}, "session.state",
		"running")
	r.expect("breakpoint_wait", object{"timeout_ms": 50}, "hit", false, "reason", "timeout")
	r.fails("evaluate", object{"expression": "1"}, "NOT_PAUSED")
	r.expect("debug_pause", object{}, "session.state", "paused", "stop.reason", "pause")
	r.expect("debug_pause", object{}, "alreadyPaused", true)
	r.expect("debug_disconnect", object{}, "state", "disconnected", "wasTerminated", true)
	r.check("pause and disconnect")

	if r.err == nil {
		r.err = c.close()
	}
	r.check("end of input")
	return r.err
}
