package timeline

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"breakwire/dapclient"
	"breakwire/tracepoints"
)

// backends maps adapter ids to debuggers, for recordings without a header.
var backends = sync.OnceValue(func() map[string]string {
	return map[string]string{"coreclr": "netcoredbg", "go": "dlv", "python": "debugpy", "lldb": "lldb-dap"}
})

// ofScheduler matches what breakwire asks Go's runtime at stops, without a frame, to know whether other goroutines
// may be at a breakpoint too (adapter/scheduler.go). The timeline does not show it.
var ofScheduler = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(uintptr\(&)?runtime\.`)
})

// request adds a request of the client.
func (b *builder) request(m *dapclient.Message) {
	q := &question{command: b.word(m.Name, mostValue), stop: -1, event: -1}
	b.asked[m.Seq] = q
	var a struct {
		ClientID, ClientName, AdapterID string
		ThreadID, FrameID               *int
		VariablesReference              int
		Expression, Name, Value         string
		Context                         string
		Program                         string
		Module                          string // of Python
		Args                            []string
		ProcessID                       any
		TerminateDebuggee               *bool
	}
	read(m.Arguments, &a)
	thread := 0
	if a.ThreadID != nil {
		thread = *a.ThreadID
	}
	switch m.Name {
	case "initialize":
		b.ours = a.ClientID == "breakwire"
		b.t.Client = b.word(cmp.Or(a.ClientName, a.ClientID), mostValue)
		if b.t.Backend == "" {
			b.t.Backend = b.word(cmp.Or(backends()[a.AdapterID], a.AdapterID), mostValue)
		}
	case "launch", "attach":
		what := cmp.Or(a.Program, a.Module)
		if m.Name == "attach" && a.ProcessID != nil {
			what = fmt.Sprintf("process %v", a.ProcessID)
		}
		if b.t.Program == "" {
			b.t.Program = b.word(cmp.Or(a.Program, a.Module), mostText)
		}
		q.event = len(b.t.Events)
		b.add(Event{Kind: Start, Name: q.command, Text: clip(strings.TrimSpace(what+" "+strings.Join(a.Args, " ")),
			mostText)})
	case "setBreakpoints":
		b.setBreakpoints(q, m)
	case "setFunctionBreakpoints", "setExceptionBreakpoints", "setDataBreakpoints", "setInstructionBreakpoints":
		b.setOther(q, m)
	case "stackTrace":
		q.stop = b.focus(thread)
	case "evaluate":
		q.expr = b.word(a.Expression, mostValue)
		b.about(q, a.FrameID)
		if q.own = b.ours && a.FrameID == nil && ofScheduler().MatchString(a.Expression); q.own {
			b.t.Own++
		}
	case "scopes":
		b.about(q, a.FrameID)
		b.look(q.stop)
	case "variables":
		q.ref = a.VariablesReference
		if at, ok := b.scopes[q.ref]; ok {
			q.stop, q.depth = at.stop, at.depth
			b.look(q.stop)
		} else {
			b.look(b.stopOf())
		}
	case "exceptionInfo":
		q.stop = b.focus(thread)
		b.look(q.stop)
	case "setVariable", "setExpression":
		b.look(b.stopOf())
		q.event = len(b.t.Events)
		b.add(Event{Kind: Note, Name: q.command, Text: clip(cmp.Or(a.Expression, a.Name)+" = "+a.Value, mostText)})
	case "pause", "terminate", "terminateThreads", "restart", "cancel":
		q.event = len(b.t.Events)
		b.add(Event{Kind: Note, Name: q.command}).Thread = b.thread(thread)
	case "disconnect":
		text := ""
		if a.TerminateDebuggee != nil {
			text = "the program is let go"
			if *a.TerminateDebuggee {
				text = "the program is ended"
			}
		}
		q.event = len(b.t.Events)
		b.add(Event{Kind: Note, Name: q.command, Text: text})
	default:
		if resumes()[m.Name] {
			b.resume(q)
		}
	}
}

// about sets the stop that a frame belongs to. Without a frame it is the top frame of the current stop.
func (b *builder) about(q *question, id *int) {
	if id != nil {
		if at, ok := b.frames[*id]; ok {
			q.stop, q.depth = at.stop, at.depth
			return
		}
	}
	q.stop = b.stopOf()
}

func (b *builder) look(stop int) {
	if stop >= 0 {
		b.looked[stop] = true
	}
}

// response adds an answer.
func (b *builder) response(m *dapclient.Message) {
	q := b.asked[m.RequestSeq]
	if q == nil {
		return
	}
	delete(b.asked, m.RequestSeq)
	if q.stop >= 0 {
		b.last = b.now
	}
	if q.own {
		return
	}
	if !m.Success {
		b.failed(q, m)
		return
	}
	switch q.command {
	case "stackTrace":
		b.stackTrace(q, m)
	case "threads":
		b.threadNames(m)
	case "scopes":
		var body struct {
			Scopes []struct{ VariablesReference int }
		}
		read(m.Body, &body)
		for _, s := range body.Scopes {
			if s.VariablesReference != 0 && q.stop >= 0 {
				b.scopes[s.VariablesReference] = frame{q.stop, q.depth}
			}
		}
	case "variables":
		b.variables(q, m)
	case "evaluate":
		var body struct{ Result, Type string }
		read(m.Body, &body)
		if q.stop >= 0 {
			b.value(q.stop, Value{Expr: q.expr, Text: b.word(body.Result, mostValue),
				Type: b.word(body.Type, mostValue), Depth: q.depth})
		}
	case "exceptionInfo":
		var body struct{ ExceptionID, Description string }
		read(m.Body, &body)
		if text := clip(cmp.Or(body.Description, body.ExceptionID), mostText); q.stop >= 0 && text != "" {
			b.t.Events[q.stop].Text = text
		}
	case "setBreakpoints":
		b.breakpointsSet(q, m)
	default:
		if b.going == q {
			b.going = nil
		}
	}
}

// failed adds a failure. The failure of an expression belongs to its stop; the client sees it as a value.
func (b *builder) failed(q *question, m *dapclient.Message) {
	var body struct {
		Error struct{ Format string }
	}
	read(m.Body, &body)
	text := m.Text
	if f := body.Error.Format; f != "" && f != text {
		if strings.HasPrefix(f, text) || text == "" {
			text = f
		} else {
			text += ": " + f
		}
	}
	if q.stops != nil || b.going == q {
		b.refused(q)
	}
	if q.command == "evaluate" && q.stop >= 0 {
		b.value(q.stop, Value{Expr: q.expr, Text: b.word(tracepoints.ErrorText(text), mostValue), Depth: q.depth,
			Failed: true})
		return
	}
	e := b.add(Event{Kind: Failure, Name: q.command, Text: b.word(cmp.Or(text, "refused without a reason"), mostText)})
	if q.expr != "" {
		e.Text = q.expr + ": " + e.Text
	}
}

func (b *builder) stackTrace(q *question, m *dapclient.Message) {
	var body struct {
		StackFrames []struct {
			ID     int
			Name   string
			Line   int
			Source struct{ Path, Name string }
		}
	}
	read(m.Body, &body)
	if q.stop < 0 || len(body.StackFrames) == 0 {
		return
	}
	e := &b.t.Events[q.stop]
	var places []int
	for i, f := range body.StackFrames {
		b.frames[f.ID] = frame{q.stop, i}
		if len(places) < mostFrames {
			places = append(places, b.place(cmp.Or(f.Source.Path, f.Source.Name), f.Line, f.Name))
		}
	}
	if e.Stack >= 0 && len(b.t.Stacks[e.Stack]) >= len(places) {
		return // a second request for fewer frames
	}
	e.Stack, e.Place = b.stack(places), places[0]
	if e.Place >= 0 && b.t.Places[e.Place].File == "" { // a frame without source: use the first frame that has one
		for _, p := range places {
			if p >= 0 && b.t.Places[p].File != "" {
				e.Place = p
				break
			}
		}
	}
}

func (b *builder) threadNames(m *dapclient.Message) {
	var body struct {
		Threads []struct {
			ID   int
			Name string
		}
	}
	read(m.Body, &body)
	for _, th := range body.Threads {
		if i, known := b.threads[th.ID]; known { // other threads have no events
			b.t.Threads[i].Name = b.word(strings.TrimPrefix(th.Name, "* "), mostValue)
		}
	}
}

func (b *builder) variables(q *question, m *dapclient.Message) {
	if q.stop < 0 {
		return
	}
	var body struct {
		Variables []struct{ Name, Value, Type string }
	}
	read(m.Body, &body)
	for _, v := range body.Variables {
		b.value(q.stop, Value{
			Expr: b.word(v.Name, mostValue), Text: b.word(v.Value, mostValue), Type: b.word(v.Type, mostValue),
			Depth: q.depth, Local: true,
		})
	}
}
