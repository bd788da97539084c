package daptest

import (
	"fmt"
	"strconv"
	"strings"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// handle answers one request normally.
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

// optional are the requests that must be announced.
func (e *engine) optional(m *dapclient.Message) {
	announced := map[string]string{
		"setExpression": "supportsSetExpression", "terminate": "supportsTerminateRequest", "modules": "supportsModulesRequest", "cancel": "supportsCancelRequest",
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
	}
}

// ok answers success with what the shape has for an empty body.
func (e *engine) ok(m *dapclient.Message) {
	if e.shape.Family == FamilyNetcoredbg {
		e.a.wire.response(m, true, "", []byte(`{}`))
		return
	}
	e.a.wire.response(m, true, "", nil)
}

func (e *engine) initialize(m *dapclient.Message) {
	if e.shape.CapabilitiesEvent {
		e.a.wire.event("capabilities", []byte(`{"capabilities":`+e.caps+`}`))
	}
	if e.shape.Telemetry {
		for _, name := range []string{"ptvsd", "debugpy"} {
			e.a.wire.event("output", []byte(`{"category":"telemetry","output":"`+name+`","data":{"packageVersion":"1.6.3"}}`))
		}
	}
	e.a.wire.response(m, true, "", []byte(e.caps))
	e.initialized = true
	if e.shape.Initialized == InitializedAtOnce {
		e.initializedEvent()
	}
}

func (e *engine) initializedEvent() {
	if e.shape.Family == FamilyNetcoredbg {
		e.a.wire.event("initialized", []byte(`{}`))
		return
	}
	e.a.wire.event("initialized", nil)
}

func (e *engine) launchRequest(m *dapclient.Message) {
	if e.launch != nil {
		e.fail(m, failure{why: whyUnspecified})
		return
	}
	if e.prog.Path == "" {
		e.prog.Path = rawjson.String(m.Arguments, "program")
		if e.prog.Name == "" {
			e.prog.Name = e.prog.Path
		}
	}
	e.launch, e.attached = m, m.Name == "attach"
	e.remote = rawjson.String(m.Arguments, "outputMode") == "remote"
	e.entry = rawjson.Bool(m.Arguments, "stopAtEntry", rawjson.Bool(m.Arguments, "stopOnEntry", false))
	if e.shape.LazyLaunch {
		if e.configured { // the later of the two starts the program
			e.startWith(m)
			return
		}
		e.ok(m)
		return
	}
	if e.prog.LaunchError != "" {
		e.launch = nil
		e.fail(m, failure{why: whyLaunch, detail: e.prog.LaunchError})
		return
	}
	switch e.shape.Initialized {
	case InitializedAfterLaunchResponse:
		e.ok(m)
		e.processEvent()
		e.initializedEvent()
	case InitializedThenLaunchResponseLast:
		e.initializedEvent()
	case InitializedAtOnce:
		e.ok(m)
	default:
		e.processEvent()
		e.initializedEvent()
		e.ok(m)
	}
}

func (e *engine) configurationDone(m *dapclient.Message) {
	if e.configured {
		e.fail(m, failure{why: whyUnspecified})
		return
	}
	e.configured = true
	switch {
	case e.shape.LazyLaunch && e.launch == nil:
		e.ok(m)
	case e.shape.LazyLaunch:
		e.startWith(m)
	case e.launch == nil:
		e.fail(m, failure{why: whyUnspecified})
	default:
		if e.shape.Family == FamilyDelve {
			e.a.wire.event("output", []byte(`{"category":"console","output":"Type 'dlv help' for list of commands.\n"}`))
		}
		e.ok(m)
		if e.shape.Initialized == InitializedThenLaunchResponseLast {
			e.ok(e.launch)
			e.processEvent()
		}
		e.begin()
	}
}

// startWith starts the program of a lazy launch and answers m, the later request.
func (e *engine) startWith(m *dapclient.Message) {
	if e.prog.LaunchError != "" {
		e.fail(m, failure{why: whyLaunch, detail: e.prog.LaunchError})
		return
	}
	e.processEvent()
	if e.attached { // measured: an attach answers after modules and threads
		e.a.started(true)
		e.loadModules()
		e.beginThreads()
		e.ok(m)
		e.goOn()
		return
	}
	e.ok(m)
	e.begin()
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

func (e *engine) disconnect(m *dapclient.Message) {
	kill := rawjson.Bool(m.Arguments, "terminateDebuggee", !e.attached)
	alive := e.state == stateRunning || e.state == stateStopped
	e.run++
	if kill {
		e.a.setFate(FateKilled)
	} else {
		e.a.setFate(FateDetached)
	}
	switch e.shape.Family {
	case FamilyNetcoredbg:
		switch {
		case alive && kill:
			e.exit(1)
		case alive || e.attached:
			e.terminated()
		}
		e.ok(m)
	case FamilyDelve:
		if alive && kill {
			e.output("console", "Detaching and terminating target process\n")
		} else {
			e.output("console", "Detaching\n")
		}
		e.ok(m)
		e.terminated()
	default:
		if alive && kill {
			e.exit(1)
		}
		e.ok(m)
	}
	e.state = stateEnded
	if !e.shape.StaysAfterDisconnect {
		e.a.wire.flush()
		e.a.Die()
	}
}

// why a request fails.
type why int

const (
	whyUnspecified why = iota
	whyNotSupported
	whyRunning
	whyNoThread
	whyNoFrame
	whyNoVariable
	whyInvalid
	whyArguments
	whyEvaluate
	whyLaunch
)

type failure struct {
	why    why
	detail string
}

// fail refuses a request in the words of the family.
func (e *engine) fail(m *dapclient.Message, f failure) {
	switch e.shape.Family {
	case FamilyNetcoredbg:
		e.a.wire.response(m, false, netcoredbgText(m.Name, f), nil)
	case FamilyDelve:
		short, format := delveText(m.Name, f)
		e.a.wire.mu.Lock()
		e.a.wire.seq++ // measured: a failure skips one number
		e.a.wire.mu.Unlock()
		e.a.wire.response(m, false, short, mustJSON(map[string]any{
			"error": map[string]any{"id": 2009, "format": format, "showUser": false},
		}))
	case FamilyLLDB:
		e.a.wire.response(m, false, plainText(m.Name, f), []byte(`{}`))
	default:
		e.a.wire.response(m, false, plainText(m.Name, f), nil)
	}
}

func netcoredbgText(command string, f failure) string {
	code := map[why]string{
		whyUnspecified: "0x80004005", whyNotSupported: "0x80004001", whyRunning: "0x80131302", whyNoThread: "0x80070057",
		whyNoFrame: "0x80004005", whyNoVariable: "0x80004005", whyInvalid: "0x80070057",
	}[f.why]
	switch {
	case f.why == whyEvaluate:
		return f.detail
	case f.why == whyArguments:
		return "can't parse: [json.exception.out_of_range.403] " + f.detail
	case f.why == whyLaunch:
		code = f.detail
	}
	if command == "evaluate" {
		return "error: " + code
	}
	return "Failed command '" + command + "' : " + code
}

func delveText(command string, f failure) (short, format string) {
	reason := plainReason(f)
	switch {
	case f.why == whyRunning:
		reason = "debuggee is running"
	case f.why == whyNoThread:
		reason = "unknown goroutine " + f.detail
	case f.why == whyNoFrame:
		reason = "unknown frame id " + f.detail
	case f.why == whyNoVariable:
		reason = "unknown reference " + f.detail
	}
	short = map[string]string{
		"evaluate": "Unable to evaluate expression", "stackTrace": "Unable to produce stack trace", "scopes": "Unable to list locals",
		"variables": "Unable to lookup variable", "launch": "Failed to launch", "attach": "Failed to attach", "setVariable": "Unable to set variable value",
	}[command]
	if f.why == whyNotSupported {
		short = "Unsupported command"
	}
	if short == "" {
		short = "Unable to " + command
	}
	return short, short + ": " + reason
}

func plainText(command string, f failure) string {
	if f.why == whyEvaluate || f.why == whyLaunch {
		return f.detail
	}
	return command + ": " + plainReason(f)
}

func plainReason(f failure) string {
	switch f.why {
	case whyNotSupported:
		return "not supported"
	case whyRunning:
		return "the process is running"
	case whyNoThread:
		return "unknown thread " + f.detail
	case whyNoFrame:
		return "unknown frame " + f.detail
	case whyNoVariable:
		return "unknown variable reference " + f.detail
	case whyEvaluate, whyArguments, whyLaunch:
		return f.detail
	}
	return "failed"
}

// evalMessage says why an expression failed, in the words of the family.
func (e *engine) evalMessage(err error) string {
	var name errNoName
	var syntax errSyntax
	switch err := err.(type) {
	case errNoName:
		name = err
	case errSyntax:
		syntax = err
	default:
		return err.Error()
	}
	switch e.shape.Family {
	case FamilyNetcoredbg:
		if syntax.what != "" {
			return "error: " + syntax.what
		}
		return "error: The name '" + name.name + "' does not exist in the current context"
	case FamilyDelve:
		if syntax.what != "" {
			return "1:1: " + syntax.what
		}
		return "could not find symbol value for " + name.name
	case FamilyLLDB:
		if syntax.what != "" {
			return fmt.Sprintf("error: <user expression %d>:1:1: %s\n", e.evals, syntax.what)
		}
		return fmt.Sprintf("error: <user expression %d>:1:1: use of undeclared identifier '%s'\n    1 | %s\n      | ^\n", e.evals, name.name, name.name)
	}
	if syntax.what != "" {
		return "SyntaxError: " + syntax.what
	}
	return "NameError: name '" + name.name + "' is not defined"
}

// refuseGarbage answers a frame that is no message.
func (a *Adapter) refuseGarbage(err error) []byte {
	text := "not a request"
	if err != nil {
		text = err.Error()
	}
	body := append([]byte(`{"message":`), rawjson.AppendString(nil, "can't parse: "+text)...)
	a.wire.mu.Lock()
	defer a.wire.mu.Unlock()
	body = append(body, `,"seq":`...)
	body = a.wire.seqValue(body, false)
	return append(body, `,"success":false,"type":"response"}`...)
}
