package daptest

import "breakwire/dapclient"

// calling is a function of the debuggee that an evaluation runs, as Delve does: the whole debuggee runs for it, and a
// stop interrupts it.
type calling struct {
	caller, callee *thread
	m              *dapclient.Message // the evaluation
	value          Var
	interrupted    bool
}

// beginCall runs the function of an evaluation on a thread of its own.
func (e *engine) beginCall(m *dapclient.Message, caller *thread, v Var) {
	for _, t := range e.threads {
		if t.id == v.Calls && !t.live {
			e.call = &calling{caller: caller, callee: t, m: m, value: v}
			t.pos, t.begun = 0, false
			e.startThread(t)
			e.state = stateRunning
			e.run++
			e.advance()
			return
		}
	}
	e.fail(m, failure{why: whyEvaluate, detail: "no such function"})
}

// interruptCall reports a stop during a call: without ids, and before the failure of the evaluation. The failure of a
// condition is only in the evaluation's.
func (e *engine) interruptCall(h halt) {
	c := e.call
	c.interrupted = true
	e.current, e.pending = h.thread, nil
	if h.reason == "exception" {
		e.fail(c.m, failure{why: whyEvaluate, detail: h.text})
		return
	}
	e.stopped(halt{thread: h.thread, reason: "breakpoint"}, true)
	e.fail(c.m, failure{why: whyEvaluate, detail: "call stopped"})
}

// endCall ends a call whose function has returned. The end of an interrupted one is a stop without thread and ids.
func (e *engine) endCall() {
	c := e.call
	e.call, e.state = nil, stateStopped
	if !c.interrupted {
		e.evaluated(c.m, c.value, nil)
		return
	}
	e.resetHandles(false)
	e.current = c.caller
	e.a.wire.event("stopped", []byte(`{"reason":"breakpoint","allThreadsStopped":true}`))
}

// waitsForCall reports whether a thread waits for the function that an evaluation runs on another thread.
func (e *engine) waitsForCall(t *thread) bool { return e.call != nil && e.call.caller == t }

// callFrame is the top frame of such a thread.
var callFrame = Frame{File: "/usr/local/go/src/runtime/debugcall.go", Line: 193, Func: "runtime.debugCallWrap"}
