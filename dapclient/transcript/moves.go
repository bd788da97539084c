package transcript

import (
	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

func sameStart(a, b string) bool { return startKind(a) == startKind(b) }

// start answers initialize, launch, attach and configurationDone, in any order.
func (p *Player) start(m *dapclient.Message) error {
	if a := p.refusedStart(m); a != nil {
		p.early[a.entry] = true
		p.answerAsk(m, a)
		return nil
	}
	for i := p.next; i < len(p.rec.cuts); i++ {
		at := p.rec.cuts[i]
		name := p.rec.name(at)
		if role(name) != roleStart {
			break
		}
		if !sameStart(name, m.Name) || p.early[at] {
			continue
		}
		if i == p.next {
			p.answered[at] = m
			return p.enter(i)
		}
		p.early[at] = true
		p.answerFrom(m, int(p.rec.entries[at].mate))
		return nil
	}
	// Sent a second time, or not in the recording.
	for _, at := range p.rec.cuts {
		if sameStart(p.rec.name(at), m.Name) {
			p.answerFrom(m, int(p.rec.entries[at].mate))
			return nil
		}
	}
	p.respond(m, nil, true, "", []byte(`{}`))
	return nil
}

// refusedStart returns a start that failed in the recording and is now sent with the same arguments. It fails once.
// configurationDone, which has no arguments, fails only after the successful one was answered.
func (p *Player) refusedStart(m *dapclient.Message) *ask {
	if m.Name == "configurationDone" {
		for _, at := range p.rec.cuts[p.next:] {
			if p.rec.name(at) == m.Name {
				return nil
			}
		}
	}
	for i := range p.seg.asks {
		a := &p.seg.asks[i]
		if a.request.Name == m.Name && a.answer != nil && !a.answer.Success && !p.early[a.entry] &&
			canonical(a.request.Arguments) == canonical(m.Arguments) {
			return a
		}
	}
	return nil
}

// answerFrom sends a recorded response.
func (p *Player) answerFrom(m *dapclient.Message, entry int) {
	if entry >= 0 {
		if recorded, err := p.rec.message(entry); err == nil {
			p.respond(m, recorded, recorded.Success, recorded.Text, recorded.Body)
			return
		}
	}
	p.respond(m, nil, true, "", []byte(`{}`))
}

func (p *Player) resume(m *dapclient.Message) error {
	if p.next < len(p.rec.cuts) {
		at := p.rec.cuts[p.next]
		recorded, err := p.rec.message(at)
		if err != nil {
			return err
		}
		if sameResume(recorded, m) {
			p.answered[at] = m
			return p.enter(p.next)
		}
	}
	if a := p.seg.find(m, p.changes); a != nil { // a resume that failed in the recording
		p.answerAsk(m, a)
		return nil
	}
	p.refuse(m)
	return nil
}

// sameResume compares a resume with the recorded one: continue and pause apply to all threads, a step to one.
func sameResume(recorded, m *dapclient.Message) bool {
	if recorded.Name != m.Name {
		return false
	}
	if m.Name == "continue" || m.Name == "pause" || m.Name == "terminate" || m.Name == "restart" {
		return true
	}
	for _, key := range []string{"threadId", "targetId"} {
		a, _ := rawjson.Int(recorded.Arguments, key)
		b, _ := rawjson.Int(m.Arguments, key)
		if a != b {
			return false
		}
	}
	granularity := func(m *dapclient.Message) string {
		if g := rawjson.String(m.Arguments, "granularity"); g != "" && g != "line" {
			return g
		}
		return "statement"
	}
	return granularity(recorded) == granularity(m)
}

// end answers disconnect, with what the recorded adapter sent then.
func (p *Player) end(m *dapclient.Message) error {
	for i := p.next; i < len(p.rec.cuts); i++ {
		at := p.rec.cuts[i]
		if role(p.rec.name(at)) != roleEnd {
			continue
		}
		if i > p.next {
			p.seg = nil // the client skipped so much that this never happened
		}
		p.answered[at] = m
		if err := p.enter(i); err != nil {
			return err
		}
		if _, open := p.answered[at]; !open {
			return nil
		}
		break
	}
	p.respond(m, nil, true, "", nil)
	return nil
}

// ask answers a request that does not begin a segment.
func (p *Player) ask(m *dapclient.Message) {
	if a := p.seg.find(m, p.changes); a != nil {
		p.answerAsk(m, a)
		return
	}
	switch m.Name {
	case "threads":
		p.respond(m, nil, true, "", p.answerThreads())
	case "cancel": // everything is answered at once, so there is nothing to cancel
		p.respond(m, nil, true, "", nil)
	case "modules", "loadedSources":
		if i := p.nearest(m.Name, true); i >= 0 {
			p.answerFrom(m, i)
			return
		}
		p.refuse(m)
	default:
		p.refuse(m)
	}
}

func (p *Player) answerAsk(m *dapclient.Message, a *ask) {
	p.respond(m, a.answer, a.answer.Success, a.answer.Text, cutTo(a, m))
	if m.Name == "setVariable" || m.Name == "setExpression" {
		p.changes = max(p.changes, a.changes+1)
	}
	p.tellAfter(a.entry)
}

// setBreakpoints answers line by line. A request that was refused in this segment is refused again.
func (p *Player) setBreakpoints(m *dapclient.Message) {
	for i := range p.seg.asks {
		a := &p.seg.asks[i]
		if a.request.Name != m.Name || a.answer == nil || a.answer.Success {
			continue
		}
		if canonical(a.request.Arguments) == canonical(m.Arguments) {
			p.answerAsk(m, a)
			return
		}
	}
	p.respond(m, nil, true, "", p.answerBreakpoints(m))
	for i := range p.seg.asks {
		if p.seg.asks[i].request.Name == m.Name {
			p.tellAfter(p.seg.asks[i].entry)
		}
	}
}

func (p *Player) tellAfter(answer int) {
	for i := range p.seg.items {
		if it := &p.seg.items[i]; it.after == answer && answer >= 0 {
			p.tell(it)
		}
	}
}
