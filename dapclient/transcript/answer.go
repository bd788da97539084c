package transcript

import (
	"encoding/json"
	"strconv"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// find returns the recorded answer to a question of this segment. changes is how many assignments the replay has
// answered: values before and after an assignment differ.
func (s *segment) find(m *dapclient.Message, changes int) *ask {
	key := s.question(m)
	var best *ask
	bestScore := -1
	for i := range s.asks {
		a := &s.asks[i]
		if a.key != key || a.answer == nil {
			continue
		}
		score := 0
		switch m.Name {
		case "stackTrace":
			score = coverage(a, m, "stackFrames", "startFrame", "levels")
		case "variables":
			score = coverage(a, m, "variables", "start", "count")
		}
		if score < 0 {
			continue
		}
		score *= 4
		if a.changes <= changes { // the latest one that is not after this point
			score += 2
			if best != nil && best.changes < a.changes && best.changes <= changes {
				score++
			}
		}
		if score > bestScore {
			best, bestScore = a, score
		}
	}
	return best
}

// window is a part of a list. Length 0 means everything from start on.
type window struct{ start, length int }

func windowOf(args []byte, start, length string) window {
	var w window
	w.start, _ = rawjson.Int(args, start)
	w.length, _ = rawjson.Int(args, length)
	return window{max(w.start, 0), max(w.length, 0)}
}

// coverage rates how well a recorded answer serves a request for a part of the same list: -1 not at all, 1 in part, 2
// completely, 3 the same request.
func coverage(a *ask, m *dapclient.Message, list, start, length string) int {
	have, want := windowOf(a.request.Arguments, start, length), windowOf(m.Arguments, start, length)
	filter := rawjson.String(a.request.Arguments, "filter")
	sameFilter := filter == rawjson.String(m.Arguments, "filter")
	if have == want && sameFilter {
		return 3
	}
	if !sameFilter && filter != "" { // an answer without a filter has all children
		return -1
	}
	if !a.answer.Success || want.start < have.start {
		return -1
	}
	n := 0
	each(a.answer.Body, list, func([]byte) { n++ })
	// The recorded answer reaches the end of the list when it is shorter than requested, or has the total.
	total, known := rawjson.Int(a.answer.Body, "totalFrames")
	whole := have.length == 0 || n < have.length || known && have.start+n >= total
	offset := want.start - have.start
	switch {
	case whole, want.length > 0 && offset+want.length <= n:
		return 2
	case offset < n:
		return 1
	}
	return -1
}

// cutTo returns the recorded body, cut to the part that m requests.
func cutTo(a *ask, m *dapclient.Message) []byte {
	list, start, length := "stackFrames", "startFrame", "levels"
	switch m.Name {
	case "stackTrace":
	case "variables":
		list, start, length = "variables", "start", "count"
	default:
		return a.answer.Body
	}
	have, want := windowOf(a.request.Arguments, start, length), windowOf(m.Arguments, start, length)
	if have == want || !a.answer.Success {
		return a.answer.Body
	}
	var elements []json.RawMessage
	each(a.answer.Body, list, func(e []byte) { elements = append(elements, e) })
	offset := min(want.start-have.start, len(elements))
	elements = elements[offset:]
	if want.length > 0 {
		elements = elements[:min(want.length, len(elements))]
	}
	out := []byte{'['}
	for i, e := range elements {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, e...)
	}
	return rawjson.Replace(a.answer.Body, list, append(out, ']'))
}

// answerBreakpoints answers a set...Breakpoints request line by line.
func (p *Player) answerBreakpoints(m *dapclient.Message) []byte {
	if m.Name == "setExceptionBreakpoints" {
		if i := p.nearest(m.Name, true); i >= 0 {
			if recorded, err := p.rec.message(i); err == nil {
				return recorded.Body
			}
		}
		return nil
	}
	facts := &p.rec.lines
	keys, whats := breakpointKeys(m)
	group := "function\x00"
	if m.Name == "setBreakpoints" {
		source := rawjson.Field(m.Arguments, "source")
		group = rawjson.String(source, "path")
	}
	if m.Name != "setBreakpoints" && m.Name != "setFunctionBreakpoints" {
		facts = nil
	}
	p.set[group] = make(map[string]bool, len(keys))
	out := []byte(`{"breakpoints":[`)
	list := rawjson.Field(m.Arguments, "breakpoints")
	i := 0
	rawjson.Elements(list, func(start, end int) bool {
		if i > 0 {
			out = append(out, ',')
		}
		key := keys[i]
		p.set[group][key] = true
		out = append(out, p.breakpoint(facts, key, whats[i], list[start:end])...)
		i++
		return true
	})
	return append(out, `]}`...)
}

// breakpoint returns the answer for one line or function.
func (p *Player) breakpoint(facts *breakpointFacts, key, what string, asked []byte) []byte {
	if facts != nil {
		if f, ok := facts.at(key, what, p.position); ok {
			if id, has := rawjson.Int(f.raw, "id"); has {
				return rawjson.Replace(f.raw, "id", strconv.AppendInt(nil, int64(facts.translate(id)), 10))
			}
			return f.raw
		}
	}
	id, ok := p.unknown[key]
	if !ok {
		id = firstUnknownID + len(p.unknown)
		p.unknown[key] = id
	}
	b := strconv.AppendInt([]byte(`{"id":`), int64(id), 10)
	if line, ok := rawjson.Int(asked, "line"); ok {
		b = strconv.AppendInt(append(b, `,"line":`...), int64(line), 10)
	}
	return append(b, `,"verified":false,"message":"This breakpoint is not in the recording."}`...)
}

// firstUnknownID is above all ids that adapters assign.
const firstUnknownID = 1_000_000

// answerThreads returns the recorded answer of this segment, else the last one before it, with the stopped thread
// added.
func (p *Player) answerThreads() []byte {
	body := []byte(`{"threads":[]}`)
	if i := p.nearest("threads", true); i >= 0 {
		if recorded, err := p.rec.message(i); err == nil {
			body = recorded.Body
		}
	}
	known := p.seg.thread == 0
	count := 0
	each(body, "threads", func(thread []byte) {
		id, _ := rawjson.Int(thread, "id")
		known = known || id == p.seg.thread
		count++
	})
	if known {
		return body
	}
	list := rawjson.Field(body, "threads")
	out := append([]byte(nil), list[:len(list)-1]...)
	if count > 0 {
		out = append(out, ',')
	}
	id := strconv.Itoa(p.seg.thread)
	out = append(out, `{"id":`+id+`,"name":"Thread `+id+`"}]`...)
	return rawjson.Replace(body, "threads", out)
}

// nearest returns the entry of the latest response to a command before the end of this segment, else the first after
// it, -1 when there is none.
func (p *Player) nearest(command string, success bool) int {
	fits := func(i int) bool {
		e := &p.rec.entries[i]
		return e.kind == kindResponse && !e.sent && e.mate >= 0 && (e.ok || !success) && p.rec.name(i) == command
	}
	for i := min(p.seg.to, len(p.rec.entries)) - 1; i >= 0; i-- {
		if fits(i) {
			return i
		}
	}
	for i := p.seg.to; i < len(p.rec.entries); i++ {
		if fits(i) {
			return i
		}
	}
	return -1
}
