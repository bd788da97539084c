package jsdebug

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// initialize answers with js-debug's capabilities, as the bridge has them.
func (b *bridge) initialize(m *dapclient.Message) {
	conn := cmp.Or(b.root, b.conn())
	answer, err := conn.Call(b.ctx, 0, m.Name, m.Arguments)
	if answer == nil {
		b.session.respond(m, nil, err)
		return
	}
	var body map[string]json.RawMessage
	if json.Unmarshal(answer.Body, &body) != nil {
		b.session.pass(m, answer, nil)
		return
	}
	filters := []map[string]any{
		{"filter": "all", "label": "Caught Exceptions", "supportsCondition": true},
		{"filter": "uncaught", "label": "Uncaught Exceptions", "default": true, "supportsCondition": true},
	}
	body["exceptionBreakpointFilters"], _ = json.Marshal(filters)
	b.session.pass(m, answer, body)
}

// ours are launch arguments that js-debug does not get, because the bridge starts the program.
var ours = []string{"program", "args", "env", "envFile", "runtimeExecutable", "runtimeArgs", "stdin", "stopOnEntry",
	"console", "request", "port", "address", "processId", "killBehavior", "noDebug", "outputCapture", "skipScripts"}

// start handles launch and attach.
func (b *bridge) start(m *dapclient.Message) {
	var err error
	var args map[string]any
	if err = json.Unmarshal(m.Arguments, &args); err == nil {
		switch {
		case b.root == nil:
			err = b.startChild(m)
		case m.Name == "launch" && args["type"] != "pwa-chrome":
			err = b.launch(m, args)
		default:
			err = b.attach(m, args)
		}
	}
	if err == nil {
		return
	}
	b.mu.Lock()
	program := b.program
	b.mu.Unlock()
	if program != nil {
		program.proc.Kill()
	}
	if b.proc != nil && errors.Is(err, errSilent) {
		err = fmt.Errorf("%w: %s", err, b.proc.StderrTail())
	}
	b.session.respond(m, nil, err)
}

// errSilent is the failure of a start that js-debug does not answer.
var errSilent = errors.New("js-debug did not start the session")

// launch starts the program, attaches js-debug to it at its first line, and lets it go on when the session has set its
// breakpoints.
func (b *bridge) launch(m *dapclient.Message, args map[string]any) error {
	l, err := dapclient.DecodeArguments[launch](m)
	if err != nil {
		return err
	}
	p, err := startProgram(l, b.command.Guard, b.log, func(stream, text string) {
		if text != "" {
			b.session.event("output", map[string]any{"category": stream, "output": text})
		}
	})
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.program, b.holding = p, true
	b.mu.Unlock()
	ctx, cancel := context.WithCancelCause(b.ctx)
	go func() {
		<-p.proc.Exited()
		cancel(fmt.Errorf("the program ended with %s before its first line", p.proc.ExitStatus()))
	}()
	address, path, err := p.reach(ctx, l)
	if err != nil {
		return err
	}
	if err := b.connectTo(ctx, address, path, true, args); err != nil {
		return err
	}
	var stop *dapclient.Message
	select {
	case stop = <-b.entry:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	pid, err := b.tidy(ctx)
	if err != nil {
		return err
	}
	at, err := b.placeOf(ctx, stop)
	if err != nil {
		return err
	}
	b.session.event("initialized", nil)
	if err := b.wait(ctx, &b.configured); err != nil {
		return err
	}
	b.session.respond(m, nil, nil)
	// The end of a command counts, not that of the node in it: vitest ends its own by a signal.
	pid = cmp.Or(pid, p.proc.Pid())
	b.session.event("process", map[string]any{"name": cmp.Or(l.Program, l.RuntimeExecutable), "systemProcessId": pid,
		"isLocalProcess": pid == p.proc.Pid(), "startMethod": "launch"})
	go b.awaitEnd(p)
	b.begin(ctx, l.StopOnEntry, at)
	return nil
}

// place is where the program stands at its first line.
type place struct {
	thread, frame int
	path          string
	line          int
}

func (b *bridge) placeOf(ctx context.Context, stop *dapclient.Message) (place, error) {
	body, err := dapclient.DecodeBody[stopBody](stop)
	if err != nil {
		return place{}, err
	}
	answer, err := b.conn().Call(ctx, 0, "stackTrace", map[string]any{"threadId": body.ThreadID, "levels": 1})
	if err != nil {
		return place{}, err
	}
	stack, err := dapclient.DecodeBody[dap.StackTraceResponseBody](answer)
	at := place{thread: body.ThreadID}
	if err == nil && len(stack.StackFrames) > 0 {
		top := stack.StackFrames[0]
		at.frame, at.line = top.Id, top.Line
		if top.Source != nil {
			at.path = top.Source.Path
		}
	}
	return at, err
}

// begin shows the stop at the program's first line, or goes on unless a breakpoint is there: the program does not reach
// it again.
func (b *bridge) begin(ctx context.Context, show bool, at place) {
	var hits []int
	for _, e := range b.book.at(at.path, at.line) {
		met := e.condition == ""
		if !met {
			answer, err := b.conn().Call(ctx, 0, "evaluate", map[string]any{"expression": "!!" + e.condition,
				"frameId": at.frame, "context": "watch"})
			met = err == nil && strings.Contains(string(answer.Body), `"result":"true"`)
		}
		if met {
			hits = append(hits, e.id)
		}
	}
	b.mu.Lock()
	b.holding = false
	conn := b.child
	b.mu.Unlock()
	event := map[string]any{"threadId": at.thread + 1, "allThreadsStopped": false}
	switch {
	case len(hits) > 0:
		event["reason"], event["hitBreakpointIds"] = "breakpoint", hits
	case show:
		event["reason"] = "entry"
	default:
		_, _ = conn.Send(dapclient.Request{Command: "continue", Args: map[string]any{"threadId": at.thread}})
		return
	}
	b.session.event("stopped", event)
}

// connectTo attaches js-debug to an inspector. It returns when js-debug has the program, and no breakpoint yet: with
// breakpoints in its file, js-debug would pass over the stop at the first line. waits says that the program has not
// begun.
func (b *bridge) connectTo(ctx context.Context, address, path string, waits bool,
	args map[string]any,
) error {
	r, err := newRelay(address, waits, b.logHit)
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.relay = r
	b.mu.Unlock()
	config := maps.Clone(args)
	for _, name := range ours {
		delete(config, name)
	}
	maps.Copy(config, map[string]any{"type": "pwa-node", "request": "attach", "name": "breakwire",
		"websocketAddress": "ws://" + r.address() + path, "attachExistingChildren": false})
	started, err := b.adopt(ctx, "attach", config)
	if err != nil {
		return err
	}
	if _, err := b.conn().Call(ctx, 0, "configurationDone", struct{}{}); err != nil {
		return err
	}
	return b.await(ctx, started)
}

// adopt sends the start request to the root and connects to the session that js-debug asks for then.
func (b *bridge) adopt(ctx context.Context, request string, config map[string]any) (<-chan error, error) {
	answered := make(chan error, 1)
	_, err := b.root.Send(dapclient.Request{Command: request, Args: config, Done: func(m *dapclient.Message, err error) {
		if err == nil {
			err = m.Err()
		}
		answered <- err
	}})
	if err != nil {
		return nil, err
	}
	if err := b.until(ctx, &b.rootReady, answered); err != nil {
		return nil, err
	}
	if _, err := b.root.Call(ctx, 0, "configurationDone", struct{}{}); err != nil {
		return nil, err
	}
	var first *dapclient.Message
	for first == nil {
		select {
		case first = <-b.first:
		case err := <-answered:
			if err != nil {
				return nil, err
			}
			answered = nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	asked, err := dapclient.DecodeArguments[struct {
		Request       string          `json:"request"`
		Configuration json.RawMessage `json:"configuration"`
	}](first)
	if err != nil {
		return nil, err
	}
	b.server.mu.Lock()
	address := b.server.address
	b.server.mu.Unlock()
	stream, err := dapclient.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	b.connectChild(stream)
	if _, err := b.conn().Call(ctx, 0, "initialize", clientArguments()); err != nil {
		return nil, err
	}
	return b.startIn(ctx, asked.Request, asked.Configuration)
}

// clientArguments are those of initialize for connections of the bridge's own.
func clientArguments() map[string]any {
	return map[string]any{
		"clientID": "breakwire", "adapterID": "pwa-node", "linesStartAt1": true, "columnsStartAt1": true,
		"pathFormat": "path", "supportsVariableType": true, "supportsVariablePaging": true,
		"supportsMemoryReferences": true, "supportsStartDebuggingRequest": true,
	}
}

// startIn sends the child's start request and tells the session when breakpoints may be set.
func (b *bridge) startIn(ctx context.Context, request string, config json.RawMessage) (<-chan error, error) {
	answered := make(chan error, 1)
	_, err := b.conn().Send(dapclient.Request{Command: request, Args: config,
		Done: func(m *dapclient.Message, err error) {
			if err == nil {
				err = m.Err()
			}
			answered <- err
		}})
	if err != nil {
		return nil, err
	}
	return answered, b.until(ctx, &b.childReady, answered)
}

// startWith tells the session that it may set breakpoints, and waits until the program is there with them.
func (b *bridge) startWith(started <-chan error) error {
	b.mu.Lock()
	b.early = true
	b.mu.Unlock()
	b.session.event("initialized", nil)
	if err := b.wait(b.ctx, &b.configured); err != nil {
		return err
	}
	return b.await(b.ctx, started)
}

// wait waits for a latch.
func (b *bridge) wait(ctx context.Context, l *latch) error {
	select {
	case <-l.ch:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// until waits for a latch. A failed answer that comes first is the error.
func (b *bridge) until(ctx context.Context, l *latch, answered chan error) error {
	select {
	case <-l.ch:
		return nil
	case err := <-answered:
		if err == nil {
			answered <- nil
			return b.wait(ctx, l)
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// await waits until js-debug has the program.
func (b *bridge) await(ctx context.Context, started <-chan error) error {
	select {
	case err := <-started:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return b.wait(ctx, &b.bound)
}

// tidy removes our inspector option from what the program's children inherit: each would wait for a debugger of its
// own. It returns the program's process id, which is not that of a command that has started it.
func (b *bridge) tidy(ctx context.Context) (pid int, err error) {
	const expression = `(o=>{const p=process,e=p.env;p.execArgv=p.execArgv.filter(a=>a!==o);` +
		`if(e.NODE_OPTIONS)e.NODE_OPTIONS=e.NODE_OPTIONS.replace(o,"")+" --inspect-publish-uid=http";` +
		`return p.pid})("` + inspect + `")`
	answer, err := b.conn().Call(ctx, 0, "evaluate", map[string]any{"expression": expression, "context": "repl"})
	if err != nil {
		return 0, err
	}
	body, _ := dapclient.DecodeBody[struct {
		Result string `json:"result"`
	}](answer)
	pid, _ = strconv.Atoi(body.Result)
	return pid, nil
}

// awaitEnd tells the end of the program, after all that js-debug still has to tell.
func (b *bridge) awaitEnd(p *program) {
	code := p.ended()
	within(farewell, b.terminated.ch)
	b.session.event("exited", map[string]any{"exitCode": code})
	b.session.event("terminated", nil)
}

// startChild handles the start of a session that js-debug has asked for.
func (b *bridge) startChild(m *dapclient.Message) error {
	started, err := b.startIn(b.ctx, m.Name, m.Arguments)
	if err != nil {
		return err
	}
	if err := b.startWith(started); err != nil {
		return err
	}
	b.session.respond(m, nil, nil)
	b.tellProcess(m)
	return nil
}

// tellProcess tells the process that js-debug's name of a session has: children.js [28327].
func (b *bridge) tellProcess(m *dapclient.Message) {
	args, _ := dapclient.DecodeArguments[struct {
		Name string `json:"name"`
	}](m)
	name, rest, _ := strings.Cut(args.Name, "[")
	event := map[string]any{"name": strings.TrimSpace(name), "startMethod": "attach"}
	var pid int
	if _, err := fmt.Sscanf(rest, "%d]", &pid); err == nil && pid > 0 {
		event["systemProcessId"] = pid
	} else {
		event["name"] = strings.TrimSpace(args.Name) // a worker: it has no process of its own
	}
	b.session.event("process", event)
}
