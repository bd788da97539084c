package timeline

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"

	"breakwire/dapclient"
)

// atOnce is how soon after the last answer a continue must be sent so that the stop counts as a trace and not as a
// stop. No person and no model decides that fast, but a client that serves a tracepoint does.
const atOnce = 50 * time.Millisecond

// builder is the state while the recording is read.
type builder struct {
	t    *Timeline
	now  time.Duration
	line int

	asked  map[int]*question // requests not answered yet, by seq
	open   []int             // stops that were not resumed yet
	going  *question         // a sent resume, with the stops that it ended
	last   time.Duration     // time of the last answer about the open stops
	looked map[int]bool      // stops at which more was asked than a tracepoint asks

	frames map[int]frame // frame ids of the open stops
	scopes map[int]frame // variables references of scopes of these frames

	threads map[int]int       // id to index
	places  map[Place]int     // to index
	stacks  map[string]int    // places as text to index
	marks   map[Place]int     // file and requested line to index
	bound   map[int]int       // the debugger's breakpoint id to mark
	names   map[string]naming // tracepoint id to its expressions
	words   map[string]string
	ended   map[string]bool
	ours    bool // the client is breakwire
}

// frame is the target of a frame id or a variables reference of the current stop.
type frame struct{ stop, depth int }

// question is a request that waits for its answer.
type question struct {
	command string
	stop    int // the stop it asks about, -1 for none
	depth   int
	expr    string
	own     bool // from breakwire itself, not from its client
	ref     int
	marks   []int // of setBreakpoints
	event   int   // the event that it created, -1 for none
	stops   []int // of a resume: the stops that it ended
}

func newBuilder() *builder {
	return &builder{
		t: &Timeline{}, asked: make(map[int]*question), looked: make(map[int]bool),
		frames: make(map[int]frame), scopes: make(map[int]frame),
		threads: make(map[int]int), places: make(map[Place]int), stacks: make(map[string]int),
		marks: make(map[Place]int), bound: make(map[int]int),
		names: make(map[string]naming), words: make(map[string]string), ended: make(map[string]bool),
	}
}

// add appends an event with the current time, without thread and place. Set these in the result before the next call
// of add.
func (b *builder) add(e Event) *Event {
	e.At, e.Line, e.Stack = b.now, b.line, -1
	e.Thread, e.Place = -1, -1
	b.t.Events = append(b.t.Events, e)
	return &b.t.Events[len(b.t.Events)-1]
}

// word returns one shared copy of a repeated text.
func (b *builder) word(s string, most int) string {
	if w, ok := b.words[s]; ok {
		return w
	}
	w := strings.Clone(clip(s, most))
	if len(s) <= 200 {
		b.words[strings.Clone(s)] = w
	}
	return w
}

func (b *builder) thread(id int) int {
	if id == 0 {
		return -1
	}
	i, ok := b.threads[id]
	if !ok {
		i = len(b.t.Threads)
		b.threads[id] = i
		b.t.Threads = append(b.t.Threads, ThreadName{ID: id})
	}
	return i
}

func (b *builder) place(file string, line int, function string) int {
	if file == "" && function == "" {
		return -1
	}
	p := Place{b.word(file, mostText), line, b.word(function, mostValue)}
	i, ok := b.places[p]
	if !ok {
		i = len(b.t.Places)
		b.places[p] = i
		b.t.Places = append(b.t.Places, p)
	}
	return i
}

func (b *builder) message(m *dapclient.Message, sent bool) {
	switch {
	case m.Kind == dapclient.KindRequest && sent:
		b.request(m)
	case m.Kind == dapclient.KindRequest:
		b.add(Event{Kind: Note, Name: b.word(m.Name, mostValue), Text: "the debugger asks the client"})
	case m.Kind == dapclient.KindResponse && !sent:
		b.response(m)
	case m.Kind == dapclient.KindEvent && !sent:
		b.event(m)
	}
}

// resumes are the requests that resume the program.
var resumes = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"continue": true, "next": true, "stepIn": true, "stepOut": true, "stepBack": true, "reverseContinue": true,
		"goto":         true,
		"restartFrame": true,
	}
})

func (b *builder) resume(q *question) {
	q.stops, b.open = b.open, nil
	b.going = q
	for _, i := range q.stops {
		e := &b.t.Events[i]
		e.Until, e.Resume = b.now, q.command
		if e.Until == 0 {
			e.Until = 1
		}
		if e.Name == "breakpoint" && q.command == "continue" && !b.looked[i] && b.wasAsked(i) && b.now-b.last <= atOnce {
			e.Kind = Trace
		}
	}
}

// wasAsked reports whether a client asked anything at the stop. Without a question a stop is not a trace.
func (b *builder) wasAsked(i int) bool {
	e := &b.t.Events[i]
	return e.Stack >= 0 || len(e.Values) > 0
}

// refused undoes a resume: the program is still stopped.
func (b *builder) refused(q *question) {
	for _, i := range q.stops {
		e := &b.t.Events[i]
		e.Kind, e.Until, e.Resume = Stop, 0, ""
	}
	if b.going == q {
		b.open, b.going = append(q.stops, b.open...), nil
	}
}

// goesOn records a resume that the client did not request.
func (b *builder) goesOn() {
	if b.going != nil { // it confirms the client's resume
		return
	}
	b.resume(&question{command: "continued"})
	b.going = nil
}

// focus returns the open stop for a request about a thread: that thread's stop, else the last one.
func (b *builder) focus(thread int) int {
	for i := len(b.open) - 1; i >= 0; i-- {
		if at := b.t.Events[b.open[i]].Thread; at >= 0 && b.t.Threads[at].ID == thread {
			return b.open[i]
		}
	}
	if thread == 0 && len(b.open) > 0 {
		return b.open[len(b.open)-1]
	}
	return -1
}

// stopOf returns the open stop for a request without a frame.
func (b *builder) stopOf() int {
	if len(b.open) == 0 {
		return -1
	}
	return b.open[0]
}

func (b *builder) value(stop int, v Value) {
	e := &b.t.Events[stop]
	if len(e.Values) >= mostValues {
		return
	}
	for i := range e.Values { // asked for twice, or also listed
		if have := &e.Values[i]; have.Expr == v.Expr && have.Depth == v.Depth {
			have.Local = have.Local && v.Local
			if have.Failed && !v.Failed {
				have.Text, have.Type, have.Failed = v.Text, v.Type, false
			}
			return
		}
	}
	e.Values = append(e.Values, v)
}

// finish counts the hits and builds the series, when it is known which stops are traces.
func (b *builder) finish() *Timeline {
	t := b.t
	type key struct {
		place int
		expr  string
	}
	series, hits := make(map[key]int), make(map[int]int)
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != Stop && e.Kind != Trace || e.Place < 0 {
			continue
		}
		hits[e.Place]++
		e.Hit = hits[e.Place]
		for _, v := range e.Values {
			if v.Depth > 0 {
				continue
			}
			k := key{e.Place, v.Expr}
			n, ok := series[k]
			if !ok {
				n = len(t.Series)
				series[k] = n
				t.Series = append(t.Series, Series{Place: e.Place, Expr: v.Expr})
			}
			s := &t.Series[n]
			s.Events, s.Texts, s.Failed = append(s.Events, i), append(s.Texts, v.Text), append(s.Failed, v.Failed)
		}
	}
	return t
}

func (b *builder) stack(places []int) int {
	var key strings.Builder
	for _, p := range places {
		key.WriteString(strconv.Itoa(p))
		key.WriteByte(' ')
	}
	i, ok := b.stacks[key.String()]
	if !ok {
		i = len(b.t.Stacks)
		b.stacks[key.String()] = i
		b.t.Stacks = append(b.t.Stacks, places)
	}
	return i
}

// read decodes a body. What does not decode stays zero.
func read(raw json.RawMessage, into any) {
	if len(raw) > 0 {
		_ = json.Unmarshal(raw, into)
	}
}
