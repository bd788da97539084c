package transcript

import (
	"bytes"
	"encoding/json"
	"strconv"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// segment is what happened from one cut to the next, in memory while it is played.
type segment struct {
	from, to int // entries; from is the request that began it
	items    []item
	asks     []ask
	// Where the program stands.
	stopped bool
	thread  int
	// What ids of this segment mean.
	frames map[int]frameKey
	refs   map[int]string
}

// item is a message that the adapter sends by itself in a segment, or the answer to a cut.
type item struct {
	entry int
	msg   *dapclient.Message
	cut   int // of an answer: the entry of the request it answers; else -1
	after int // the answer, an entry, that it follows; -1: it comes when the segment begins
	done  bool
}

// ask is a recorded question with its answer.
type ask struct {
	request *dapclient.Message
	answer  *dapclient.Message // nil when the recording has none
	entry   int                // of the answer
	changes int                // assignments before it in the segment
	key     string
}

type frameKey struct{ thread, depth int }

func (k frameKey) String() string { return strconv.Itoa(k.thread) + "/" + strconv.Itoa(k.depth) }

// load reads the segment that begins at the cut with this index; -1 is what comes before the first.
func (r *Recording) load(cut int) (*segment, error) {
	s := &segment{to: len(r.entries), frames: make(map[int]frameKey), refs: make(map[int]string)}
	resumes := false
	if cut >= 0 {
		s.from = r.cuts[cut]
		name := r.name(s.from)
		resumes = name != "initialize" && role(name) != roleEnd
	}
	if cut+1 < len(r.cuts) {
		s.to = r.cuts[cut+1]
	}
	lastAnswer, changes := -1, 0
	for i := s.from; i < s.to; i++ {
		e := &r.entries[i]
		switch {
		case e.sent && e.kind == kindRequest && !e.cut:
			a, err := r.loadAsk(i, changes)
			if err != nil {
				return nil, err
			}
			s.asks = append(s.asks, a)
			if name := r.name(i); name == "setVariable" || name == "setExpression" {
				changes++
			}
		case e.sent || e.kind == kindRequest: // reverse requests must have no effect in a replay
		case e.kind == kindResponse && e.mate >= 0 && r.entries[e.mate].cut: // maybe of an earlier segment
			m, err := r.message(i)
			if err != nil {
				return nil, err
			}
			s.items = append(s.items, item{entry: i, msg: m, cut: int(e.mate), after: -1})
			lastAnswer = -1
		case e.kind == kindResponse:
			if e.mate >= 0 {
				lastAnswer = i
			}
		default:
			m, err := r.message(i)
			if err != nil {
				return nil, err
			}
			it := item{entry: i, msg: m, cut: -1, after: -1}
			if s.stopped || !resumes {
				// The program stands: what is told here was caused by a question.
				it.after = lastAnswer
			} else {
				lastAnswer = -1
			}
			s.items = append(s.items, it)
			if m.Name == "stopped" && it.after < 0 {
				s.noteStop(m)
			}
		}
	}
	s.learnIDs()
	for i := range s.asks {
		s.asks[i].key = s.question(s.asks[i].request)
	}
	return s, nil
}

func (r *Recording) loadAsk(i, changes int) (ask, error) {
	request, err := r.message(i)
	if err != nil {
		return ask{}, err
	}
	a := ask{request: request, changes: changes, entry: int(r.entries[i].mate)}
	if a.entry >= 0 {
		a.answer, err = r.message(a.entry)
	}
	return a, err
}

// noteStop remembers the thread that a stop is about: the one with focus, else the first.
func (s *segment) noteStop(m *dapclient.Message) {
	thread, ok := rawjson.Int(m.Body, "threadId")
	if !ok {
		thread = 0
	}
	if !s.stopped || rawjson.Bool(m.Body, "threadCausedFocus", false) {
		s.thread = thread
	}
	s.stopped = true
}

// learnIDs finds out which frame or variable each id of the segment stands for.
func (s *segment) learnIDs() {
	for i := range s.asks {
		a := &s.asks[i]
		if a.answer == nil || !a.answer.Success {
			continue
		}
		args, body := a.request.Arguments, a.answer.Body
		switch a.request.Name {
		case "stackTrace":
			thread, _ := rawjson.Int(args, "threadId")
			depth, _ := rawjson.Int(args, "startFrame")
			each(body, "stackFrames", func(frame []byte) {
				if id, ok := rawjson.Int(frame, "id"); ok {
					s.frames[id] = frameKey{thread, depth}
				}
				depth++
			})
			if s.thread == 0 {
				s.thread = thread // a stop that names no thread
			}
		case "scopes":
			base := "scope " + s.frame(args) + " "
			each(body, "scopes", func(scope []byte) { s.learnRef(scope, base+rawjson.String(scope, "name")) })
		case "variables":
			base := s.ref(args) + "."
			each(body, "variables", func(v []byte) { s.learnRef(v, base+rawjson.String(v, "name")) })
		case "evaluate", "setExpression":
			s.learnRef(body, "value "+s.frame(args)+" "+rawjson.String(args, "expression"))
		case "setVariable":
			s.learnRef(body, s.ref(args)+"."+rawjson.String(args, "name"))
		}
	}
}

func each(object []byte, key string, f func(element []byte)) {
	list := rawjson.Field(object, key)
	rawjson.Elements(list, func(start, end int) bool {
		f(list[start:end])
		return true
	})
}

func (s *segment) learnRef(object []byte, meaning string) {
	if ref, ok := rawjson.Int(object, "variablesReference"); ok && ref > 0 {
		s.refs[ref] = meaning
	}
}

// frame says which frame arguments mean: thread and depth; without an id the top one of the stop.
func (s *segment) frame(args []byte) string {
	id, ok := rawjson.Int(args, "frameId")
	if !ok {
		return frameKey{s.thread, 0}.String()
	}
	if key, ok := s.frames[id]; ok {
		return key.String()
	}
	return "id " + strconv.Itoa(id)
}

// ref says which children arguments mean.
func (s *segment) ref(args []byte) string {
	ref, _ := rawjson.Int(args, "variablesReference")
	if meaning, ok := s.refs[ref]; ok {
		return meaning
	}
	return "ref " + strconv.Itoa(ref)
}

// question is the same for two requests that ask the same in this segment. stackTrace and variables
// leave out which part is wanted.
func (s *segment) question(m *dapclient.Message) string {
	args := m.Arguments
	switch m.Name {
	case "threads", "exceptionInfo", "modules", "loadedSources":
		thread, _ := rawjson.Int(args, "threadId")
		return m.Name + " " + strconv.Itoa(thread)
	case "stackTrace":
		if thread, ok := rawjson.Int(args, "threadId"); ok {
			return "stackTrace " + strconv.Itoa(thread)
		}
	case "scopes":
		return "scopes " + s.frame(args)
	case "variables":
		if _, ok := rawjson.Int(args, "variablesReference"); ok {
			return "variables " + s.ref(args)
		}
	case "evaluate":
		return "evaluate " + s.frame(args) + " " + string(bytes.TrimSpace([]byte(rawjson.String(args, "expression"))))
	case "setExpression":
		return "setExpression " + s.frame(args) + " " + rawjson.String(args, "expression") + " = " +
			rawjson.String(args, "value")
	case "setVariable":
		return "setVariable " + s.ref(args) + "." + rawjson.String(args, "name") + " = " + rawjson.String(args, "value")
	}
	return m.Name + " " + canonical(args)
}

// canonical writes JSON with sorted keys.
func canonical(raw []byte) string {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	if m, ok := v.(map[string]any); ok && len(m) == 0 {
		return "" // {} is the same as none
	}
	b, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(b)
}
