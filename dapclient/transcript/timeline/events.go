package timeline

import (
	"cmp"
	"fmt"
	"strings"

	"breakwire/dapclient"
)

// event adds an event of the debugger.
func (b *builder) event(m *dapclient.Message) {
	switch m.Name {
	case "stopped":
		b.stopped(m)
	case "continued":
		b.goesOn()
	case "output":
		b.output(m)
	case "breakpoint":
		b.breakpointChanged(m)
	case "thread":
		var body struct {
			Reason   string
			ThreadID int
		}
		read(m.Body, &body)
		b.add(Event{Kind: Thread, Name: b.word(body.Reason, mostValue)}).Thread = b.thread(body.ThreadID)
	case "module":
		var body struct {
			Reason string
			Module struct{ Name, Path, SymbolStatus string }
		}
		read(m.Body, &body)
		text := cmp.Or(body.Module.Name, body.Module.Path)
		if body.Module.SymbolStatus != "" {
			text += " (" + strings.TrimSuffix(body.Module.SymbolStatus, ".") + ")"
		}
		b.add(Event{Kind: Module, Name: b.word(body.Reason, mostValue), Text: b.word(text, mostText)})
	case "process":
		var body struct {
			Name            string
			SystemProcessID int
			StartMethod     string
		}
		read(m.Body, &body)
		text := body.Name
		if body.SystemProcessID != 0 {
			text += fmt.Sprintf(" (process %d)", body.SystemProcessID)
		}
		if b.t.Program == "" {
			b.t.Program = b.word(body.Name, mostText)
		}
		b.add(Event{Kind: Process, Name: b.word(body.StartMethod, mostValue), Text: clip(text, mostText)})
	case "exited":
		var body struct{ ExitCode int }
		read(m.Body, &body)
		b.ends()
		b.add(Event{Kind: End, Name: "exited", Text: fmt.Sprintf("exit code %d", body.ExitCode)})
	case "terminated":
		b.ends()
		if !b.ended[m.Name] { // some adapters send it twice
			b.ended[m.Name] = true
			b.add(Event{Kind: End, Name: "terminated"})
		}
	}
}

// ends closes the stops of a program that has ended.
func (b *builder) ends() {
	for _, i := range b.open {
		b.t.Events[i].Until = b.now
	}
	b.open, b.going = nil, nil
}

func (b *builder) stopped(m *dapclient.Message) {
	var body struct {
		Reason, Description, Text string
		ThreadID                  int
	}
	read(m.Body, &body)
	if len(b.open) == 0 {
		clear(b.frames)
		clear(b.scopes)
	}
	b.going = nil // the program did resume
	b.open = append(b.open, len(b.t.Events))
	text := body.Text
	if text == "" && !strings.EqualFold(body.Description, body.Reason) {
		text = body.Description
	}
	b.add(Event{Kind: Stop, Name: b.word(cmp.Or(body.Reason, "stopped"), mostValue), Text: b.word(text, mostText)}).
		Thread = b.thread(body.ThreadID)
}

func (b *builder) output(m *dapclient.Message) {
	var body struct {
		Category, Output string
		Source           struct{ Path, Name string }
		Line             int
	}
	read(m.Body, &body)
	if body.Category == "telemetry" || body.Output == "" {
		return
	}
	if b.logPoint(body.Output, cmp.Or(body.Source.Path, body.Source.Name), body.Line) {
		return
	}
	e := b.add(Event{Kind: Output, Name: b.word(cmp.Or(body.Category, "console"), mostValue),
		Text: clip(body.Output, mostText)})
	if body.Source.Path != "" && body.Line > 0 {
		e.Place = b.place(body.Source.Path, body.Line, "")
	}
}
