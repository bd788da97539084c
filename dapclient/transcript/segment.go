package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// segment is the part of a recording from one cut to the next, in memory while it is played.
type segment struct {
	from, to int // entries; from is the request that began it
	items    []item
	asks     []ask
	// The state of the program.
	stopped bool
	thread  int
	// The meaning of this segment's ids.
	frames map[int]frameKey
	refs   map[int]string
}

// item is a message that the adapter sends by itself in a segment, or the answer to a cut.
type item struct {
	entry int
	msg   *dapclient.Message
	cut   int // of an answer: the entry of its request; else -1
	after int // the entry of the answer that it follows; -1: sent when the segment begins
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

// load reads the segment that begins at the cut with this index; -1 is the part before the first cut.
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
		case e.sent || e.kind == kindRequest: // reverse requests have no effect in a replay
		case e.kind == kindResponse && e.mate >= 0 && r.entries[e.mate].cut: // perhaps of an earlier segment
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
				// The program is stopped: a question caused this message.
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

// noteStop records the thread of a stop: the one with focus, else the first.
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

// learnIDs finds the frame or variable of each id in the segment.
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
				s.thread = thread // the stop named no thread
			}
		case "scopes":
			base := "scope " + s.frame(args) + " "
			named := map[string]int{} // js-debug gives blocks inside of each other the same name
			each(body, "scopes", func(scope []byte) {
				name := rawjson.String(scope, "name")
				s.learnRef(scope, fmt.Sprint(base, name, " ", named[name]))
				named[name]++
			})
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

// frame returns the frame that arguments mean, as thread and depth. Without an id it is the top frame of the stop.
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

// ref returns the children that arguments mean.
func (s *segment) ref(args []byte) string {
	ref, _ := rawjson.Int(args, "variablesReference")
	if meaning, ok := s.refs[ref]; ok {
		return meaning
	}
	return "ref " + strconv.Itoa(ref)
}

// question returns an equal key for requests that ask for the same in this segment. For stackTrace and variables the
// key does not contain the requested part.
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

// canonical returns JSON with sorted keys.
func canonical(raw []byte) string {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	if m, ok := v.(map[string]any); ok && len(m) == 0 {
		return "" // {} means the same as none
	}
	b, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(b)
}
