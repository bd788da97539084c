package daptest

import (
	"fmt"
	"strconv"
	"strings"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// handle answers one request without a hook.
func (a *Adapter) handle(m *dapclient.Message) {
	e := &a.engine
	switch m.Name {
	case "stackTrace":
		e.stackTrace(m)
	case "evaluate":
		e.evaluate(m)
	case "continue":
		e.resumeRequest(m, "")
	case "threads":
		e.listThreads(m)
	case "next", "stepIn", "stepOut":
		e.resumeRequest(m, m.Name)
	case "scopes":
		e.scopes(m)
	case "variables":
		e.variables(m)
	case "setBreakpoints":
		e.setBreakpoints(m)
	case "setFunctionBreakpoints":
		e.setFunctionBreakpoints(m)
	case "setExceptionBreakpoints":
		e.setExceptionBreakpoints(m)
	case "initialize":
		e.initialize(m)
	case "launch", "attach":
		e.launchRequest(m)
	case "configurationDone":
		e.configurationDone(m)
	case "pause":
		e.pauseRequest(m)
	case "exceptionInfo":
		e.exceptionInfo(m)
	case "setVariable":
		e.setVariable(m)
	case "disconnect":
		e.disconnect(m)
	default:
		e.optional(m)
	}
}

// optional handles the requests that need a capability.
func (e *engine) optional(m *dapclient.Message) {
	announced := map[string]string{
		"setExpression": "supportsSetExpression", "terminate": "supportsTerminateRequest",
		"modules": "supportsModulesRequest", "cancel": "supportsCancelRequest",
		"dataBreakpointInfo": "supportsDataBreakpoints", "setDataBreakpoints": "supportsDataBreakpoints",
		"setInstructionBreakpoints": "supportsInstructionBreakpoints",
	}[m.Name]
	if announced == "" || !strings.Contains(e.caps, `"`+announced+`":true`) {
		e.fail(m, failure{why: whyNotSupported})
		return
	}
	switch m.Name {
	case "setExpression":
		e.setExpression(m)
	case "terminate":
		if e.state == stateRunning || e.state == stateStopped {
			e.a.setFate(FateKilled)
			e.exit(1)
		}
		e.ok(m)
	case "modules":
		modules := []map[string]any{}
		for _, mod := range e.modules {
			modules = append(modules, map[string]any{"id": mod.ID, "name": mod.Name, "path": mod.Path})
		}
		e.a.wire.response(m, true, "", mustJSON(map[string]any{"modules": modules, "totalModules": len(modules)}))
	case "cancel":
		e.ok(m)
	case "dataBreakpointInfo":
		e.dataBreakpointInfo(m)
	case "setDataBreakpoints":
		e.setDataBreakpoints(m)
	case "setInstructionBreakpoints":
		e.setInstructionBreakpoints(m)
	}
}

// ok answers with success and the shape's form of an empty body.
func (e *engine) ok(m *dapclient.Message) {
	if e.shape.Family == FamilyNetcoredbg {
		e.a.wire.response(m, true, "", []byte(`{}`))
		return
	}
	e.a.wire.response(m, true, "", nil)
}

func (e *engine) listThreads(m *dapclient.Message) {
	if e.state == stateNew || e.state == stateEnded && e.shape.OneSession {
		e.fail(m, failure{why: whyUnspecified})
		return
	}
	b := append(e.scratch[:0], `{"threads":[`...)
	one := func(id int, name string) {
		if b[len(b)-1] != '[' {
			b = append(b, ',')
		}
		b = append(b, `{"id":`...)
		b = strconv.AppendInt(b, int64(id), 10)
		b = append(b, `,"name":`...)
		b = rawjson.AppendString(b, name)
		b = append(b, '}')
	}
	delve := e.shape.Family == FamilyDelve
	switch {
	case delve && e.state == stateRunning:
		one(-1, "Current")
	case delve && (e.state == stateEnded || e.atEntry):
		one(1, "Dummy")
	default:
		for _, t := range e.threads {
			if t.live {
				one(t.id, e.threadName(t))
			}
		}
	}
	e.scratch = append(b, `]}`...)
	e.a.wire.response(m, true, "", e.scratch)
}

func (e *engine) threadName(t *thread) string {
	if e.shape.Family != FamilyDelve {
		return t.name
	}
	name := fmt.Sprintf("[Go %d] %s", t.id, t.cur.Func)
	if t == e.current {
		name = "* " + name
	}
	if !t.def.Parked {
		name += fmt.Sprintf(" (Thread %d)", e.prog.PID+t.index)
	}
	return name
}

func (e *engine) resumeRequest(m *dapclient.Message, kind string) {
	id, _ := rawjson.Int(m.Arguments, "threadId")
	t := e.threadByID(id)
	switch {
	case e.state == stateNew || e.state == stateEnded:
		e.fail(m, failure{why: whyUnspecified})
		return
	case e.state == stateRunning && kind == "" && e.shape.Family == FamilyNetcoredbg:
		e.continueResponse(m, id) // measured: success, no event
		return
	case e.state == stateRunning:
		e.fail(m, failure{why: whyRunning})
		return
	case kind != "" && t == nil:
		e.fail(m, failure{why: whyInvalid})
		return
	}
	where := e.shape.ContinuedOnResume
	step := stepping{}
	if kind != "" {
		where = e.shape.ContinuedOnStep
		step = stepping{thread: t, kind: kind, depth: t.cur.Depth()}
	}
	if where == ContinuedBefore {
		e.continuedEvent(id)
	}
	if kind == "" {
		e.continueResponse(m, id)
	} else {
		e.ok(m)
	}
	if where == ContinuedAfter {
		e.continuedEvent(id)
	}
	if e.held.thread != nil {
		if kind != "" {
			e.resetHandles(false)
			text := "Unable to step while the previous step is interrupted by a breakpoint.\nUse 'Continue' to " +
				"resume the original step command."
			e.stopped(halt{thread: t, reason: "exception", description: "invalid command", text: text}, true)
			return
		}
		step, e.held = e.held, stepping{}
	}
	e.resume(step)
}

func (e *engine) continueResponse(m *dapclient.Message, id int) {
	if e.shape.Family == FamilyNetcoredbg {
		b := append(e.scratch[:0], `{"allThreadsContinued":true,"threadId":`...)
		b = strconv.AppendInt(b, int64(id), 10)
		e.scratch = append(b, '}')
		e.a.wire.response(m, true, "", e.scratch)
		return
	}
	e.a.wire.response(m, true, "", []byte(`{"allThreadsContinued":true}`))
}

func (e *engine) pauseRequest(m *dapclient.Message) {
	id, _ := rawjson.Int(m.Arguments, "threadId")
	t := e.threadByID(id)
	switch {
	case e.state == stateNew || e.state == stateEnded:
		e.fail(m, failure{why: whyUnspecified})
		return
	case e.state == stateStopped:
		e.pauseResponse(m, id)
		return
	case t == nil && e.shape.Family == FamilyNetcoredbg:
		e.fail(m, failure{why: whyUnspecified})
		return
	}
	for _, other := range e.threads {
		if t == nil && other.live {
			t = other
		}
	}
	if e.shape.PauseEventFirst {
		e.pause(t)
		e.pauseResponse(m, id)
		return
	}
	e.pauseResponse(m, id)
	e.pause(t)
}

func (e *engine) pauseResponse(m *dapclient.Message, id int) {
	if e.shape.Family == FamilyNetcoredbg {
		e.a.wire.response(m, true, "", []byte(`{"threadId":`+strconv.Itoa(id)+`}`))
		return
	}
	e.ok(m)
}
