package timeline

import (
	"cmp"
	"fmt"
	"strings"

	"breakwire/dapclient"
)

// setBreakpoints adds the breakpoints of one file, as the client requests them.
func (b *builder) setBreakpoints(q *question, m *dapclient.Message) {
	var a struct {
		Source      struct{ Path, Name string }
		Breakpoints []struct {
			Line                                int
			Condition, HitCondition, LogMessage string
		}
		Lines []int // from older clients
	}
	read(m.Arguments, &a)
	file := b.word(cmp.Or(a.Source.Path, a.Source.Name), mostText)
	var said []string
	mark := func(line int, condition, hit, log string) {
		k := Place{File: file, Line: line}
		i, ok := b.marks[k]
		if !ok {
			i = len(b.t.Marks)
			b.marks[k] = i
			b.t.Marks = append(b.t.Marks, Mark{File: file, Line: line})
		}
		text := fmt.Sprint(line)
		at := &b.t.Marks[i]
		at.Condition, at.HitCondition, at.LogMessage = b.word(condition, mostValue), b.word(hit, mostValue), ""
		if condition != "" {
			text += " if " + clip(condition, 200)
		}
		if hit != "" {
			text += " at hit " + clip(hit, 200)
		}
		if log != "" {
			n, ok := readNaming(log)
			if ok {
				n.mark = i
				b.names[n.id] = n
				log = n.text()
			}
			at.LogMessage = clip(log, mostValue)
			text += " log " + clip(log, 200)
		}
		q.marks = append(q.marks, i)
		said = append(said, text)
	}
	for _, bp := range a.Breakpoints {
		mark(bp.Line, bp.Condition, bp.HitCondition, bp.LogMessage)
	}
	if len(a.Breakpoints) == 0 {
		for _, line := range a.Lines {
			mark(line, "", "", "")
		}
	}
	text := base(file) + ": none"
	if len(said) > 0 {
		text = base(file) + ":" + strings.Join(said, ", ")
	}
	q.event = len(b.t.Events)
	e := b.add(Event{Kind: Breakpoint, Name: "set", Text: clip(text, mostText)})
	if len(q.marks) > 0 {
		e.Place = b.place(file, b.t.Marks[q.marks[0]].Line, "")
	}
}

// breakpointsSet adds the debugger's answer.
func (b *builder) breakpointsSet(q *question, m *dapclient.Message) {
	var body struct {
		Breakpoints []struct {
			ID       int
			Verified bool
			Line     int
			Message  string
		}
	}
	read(m.Body, &body)
	for i, bp := range body.Breakpoints {
		if i >= len(q.marks) {
			break
		}
		at := &b.t.Marks[q.marks[i]]
		at.Verified, at.Message = bp.Verified, b.word(bp.Message, mostValue)
		if bp.Line > 0 {
			at.Line = bp.Line
		}
		if bp.ID != 0 {
			b.bound[bp.ID] = q.marks[i]
		}
	}
}

// breakpointChanged adds a later change by the debugger, such as a binding.
func (b *builder) breakpointChanged(m *dapclient.Message) {
	var body struct {
		Reason     string
		Breakpoint struct {
			ID       int
			Verified bool
			Line     int
			Message  string
			Source   struct{ Path string }
		}
	}
	read(m.Body, &body)
	bp := body.Breakpoint
	text := cmp.Or(bp.Message, "verified")
	if !bp.Verified && bp.Message == "" {
		text = "not verified"
	}
	file := bp.Source.Path
	if i, ok := b.bound[bp.ID]; ok {
		at := &b.t.Marks[i]
		at.Verified, at.Message = bp.Verified, b.word(bp.Message, mostValue)
		if bp.Line > 0 {
			at.Line = bp.Line
		}
		file = at.File
	}
	if file != "" {
		text = fmt.Sprintf("%s:%d %s", base(file), bp.Line, text)
	}
	e := b.add(Event{Kind: Breakpoint, Name: b.word(cmp.Or(body.Reason, "changed"), mostValue),
		Text: clip(text, mostText)})
	if file != "" && bp.Line > 0 {
		e.Place = b.place(file, bp.Line, "")
	}
}

// setOther adds breakpoints on functions, exceptions, data and instructions.
func (b *builder) setOther(q *question, m *dapclient.Message) {
	var a struct {
		Breakpoints   []struct{ Name, DataID, InstructionReference, Condition string }
		Filters       []string
		FilterOptions []struct{ FilterID, Condition string }
	}
	read(m.Arguments, &a)
	said := a.Filters
	for _, f := range a.FilterOptions {
		said = append(said, strings.TrimSpace(f.FilterID+" "+f.Condition))
	}
	for _, bp := range a.Breakpoints {
		text := cmp.Or(bp.Name, bp.DataID, bp.InstructionReference)
		if bp.Condition != "" {
			text += " if " + bp.Condition
		}
		said = append(said, text)
	}
	what := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(m.Name, "set"), "Breakpoints"))
	text := what + ": none"
	if len(said) > 0 {
		text = what + ": " + strings.Join(said, ", ")
	}
	q.event = len(b.t.Events)
	b.add(Event{Kind: Breakpoint, Name: "set", Text: clip(text, mostText)})
}
