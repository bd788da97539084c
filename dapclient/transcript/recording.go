package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/google/go-dap"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// Recording is an opened recording, checked completely and indexed.
type Recording struct {
	// Header is the first line; its Version is 0 when there is none.
	Header Header
	// Backend is the recorded debugger ("netcoredbg", "dlv", "debugpy", "lldb-dap"), from the header or else guessed;
	// empty when unknown.
	Backend string
	// Program is the debugged program's name, from the header, the launch request or the process event.
	Program string

	src     io.ReaderAt
	closer  io.Closer
	entries []entry
	names   []string
	cuts    []int // entries of the requests that begin a segment
	lines   breakpointFacts
}

// entry is one message in the index; the message stays in the file.
type entry struct {
	offset int64
	length int32
	lineNo int32
	name   int32 // of names
	seq    int32 // of a request; request_seq of a response
	mate   int32 // the response of a request, the request of a response; -1 when there is none
	kind   kind
	sent   bool
	ok     bool // of a response
	cut    bool // a request that begins a segment
}

type kind uint8

const (
	kindRaw kind = iota
	kindRequest
	kindResponse
	kindEvent
)

// Open opens a recording for Play. It refuses a damaged or truncated file with the line number.
func Open(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the recording: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open the recording: %w", err)
	}
	r, err := Load(f, info.Size())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open the recording %s: %w", path, err)
	}
	r.closer = f
	return r, nil
}

// Load is Open for a recording that is not a file, such as an embedded one (bytes.NewReader). The source must stay
// readable while the Recording is used.
func Load(src io.ReaderAt, size int64) (*Recording, error) {
	reader, err := NewReader(io.NewSectionReader(src, 0, size))
	if err != nil {
		return nil, err
	}
	x := indexer{
		rec:      &Recording{Header: reader.Header(), src: src, lines: newBreakpointFacts()},
		names:    make(map[string]int32),
		requests: make(map[int32]int32),
	}
	var e Entry
	for {
		if err := reader.Next(&e); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return nil, err
		}
		x.add(&e)
	}
	return x.finish()
}

// Close closes the file. No Player may be running.
func (r *Recording) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// Len returns the number of messages.
func (r *Recording) Len() int { return len(r.entries) }

// message reads one message from the file.
func (r *Recording) message(i int) (*dapclient.Message, error) {
	e := &r.entries[i]
	line := make([]byte, e.length)
	if _, err := r.src.ReadAt(line, e.offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read line %d of the recording: %w", e.lineNo, err)
	}
	var entry Entry
	if err := parseFields(line, &entry); err != nil {
		return nil, fmt.Errorf("read the recording, which has changed: %w", &LineError{int(e.lineNo), err.Error()})
	}
	if e.kind == kindRaw {
		return &dapclient.Message{Raw: entry.Body}, nil
	}
	return dapclient.Decode(entry.Body)
}

func (r *Recording) name(i int) string { return r.names[r.entries[i].name] }

// indexer builds a Recording.
type indexer struct {
	rec        *Recording
	names      map[string]int32
	requests   map[int32]int32 // seq to entry, of sent messages
	adapterID  string
	caps       json.RawMessage
	program    string // of launch
	process    string // of the process event
	messages   int    // number of DAP messages
	pendingSet map[int32]*dapclient.Message
}

func (x *indexer) add(e *Entry) {
	i := int32(len(x.rec.entries))
	at := entry{offset: e.Offset, length: int32(e.Length), lineNo: int32(e.Line), sent: e.Dir == dapclient.Sent, mate: -1}
	m, err := dapclient.Decode(e.Body)
	if err != nil {
		at.name = x.intern("")
		x.rec.entries = append(x.rec.entries, at)
		return
	}
	x.messages++
	at.name = x.intern(m.Name)
	switch m.Kind {
	case dapclient.KindRequest:
		at.kind, at.seq = kindRequest, int32(m.Seq)
		if at.sent {
			x.requests[at.seq] = i
			x.sent(i, m)
		}
	case dapclient.KindResponse:
		at.kind, at.seq, at.ok = kindResponse, int32(m.RequestSeq), m.Success
		if request, ok := x.requests[at.seq]; ok && !at.sent && x.rec.entries[request].mate < 0 {
			at.mate = request
			x.rec.entries[request].mate = i
			x.answered(i, request, m)
		}
	case dapclient.KindEvent:
		at.kind = kindEvent
		if !at.sent {
			x.event(i, m)
		}
	}
	x.rec.entries = append(x.rec.entries, at)
}

func (x *indexer) intern(name string) int32 {
	if i, ok := x.names[name]; ok {
		return i
	}
	name = strings.Clone(name)
	i := int32(len(x.rec.names))
	x.names[name] = i
	x.rec.names = append(x.rec.names, name)
	return i
}

func (x *indexer) sent(i int32, m *dapclient.Message) {
	switch m.Name {
	case "initialize":
		x.adapterID = rawjson.String(m.Arguments, "adapterID")
	case "launch":
		if x.program == "" {
			x.program = rawjson.String(m.Arguments, "program")
		}
	case "setBreakpoints", "setFunctionBreakpoints":
		if x.pendingSet == nil {
			x.pendingSet = make(map[int32]*dapclient.Message)
		}
		m.Arguments = bytes.Clone(m.Arguments) // the reader reuses its buffer
		x.pendingSet[i] = m
	}
}

func (x *indexer) answered(i, request int32, m *dapclient.Message) {
	switch m.Name {
	case "initialize":
		if m.Success && x.caps == nil {
			x.caps = bytes.Clone(m.Body)
		}
	case "setBreakpoints", "setFunctionBreakpoints":
		if ask := x.pendingSet[request]; ask != nil && m.Success {
			x.rec.lines.answered(int(i), ask, m)
		}
		delete(x.pendingSet, request)
	}
}

func (x *indexer) event(i int32, m *dapclient.Message) {
	switch m.Name {
	case "process":
		if x.process == "" {
			x.process = rawjson.String(m.Body, "name")
		}
	case "breakpoint":
		x.rec.lines.changed(int(i), m)
	}
}

func (x *indexer) finish() (*Recording, error) {
	r := x.rec
	if x.messages == 0 {
		return nil, &LineError{1, "not a recording of a debug adapter: it holds no DAP message"}
	}
	r.cut()
	r.Backend = r.Header.Backend
	if r.Backend == "" {
		r.Backend = guessBackend(x.caps, x.adapterID)
	}
	switch {
	case r.Header.Program != "":
		r.Program = r.Header.Program
	case x.program != "":
		r.Program = x.program
	default:
		r.Program = x.process
	}
	return r, nil
}

// cut finds the requests that begin a segment. A request that changed nothing counts as a question: a failed resume,
// a pause of a stopped program, a continue of a running one, a repeated start.
func (r *Recording) cut() {
	starts := r.starts()
	stands := false
	for i := range r.entries {
		e := &r.entries[i]
		if e.kind == kindEvent && !e.sent && r.name(i) == "stopped" {
			stands = true
		}
		if e.kind != kindRequest || !e.sent {
			continue
		}
		switch name := r.name(i); role(name) {
		case roleStart:
			e.cut = starts[startKind(name)] == i
		case roleEnd:
			e.cut = true
		case roleResume:
			idle := name == "pause" && stands || name == "continue" && !stands
			if e.cut = !r.refused(i) && !idle; e.cut && name != "pause" {
				stands = false
			}
		}
		if e.cut {
			r.cuts = append(r.cuts, i)
		}
	}
}

// starts returns, for each kind of start, the request that started the session: the first that succeeded, else the
// first.
func (r *Recording) starts() map[string]int {
	found := make(map[string]int)
	for i := range r.entries {
		e := &r.entries[i]
		if e.kind != kindRequest || !e.sent || role(r.name(i)) != roleStart {
			continue
		}
		kind := startKind(r.name(i))
		old, known := found[kind]
		if !known || r.refused(old) && !r.refused(i) {
			found[kind] = i
		}
	}
	return found
}

// refused reports whether the request was answered with a failure.
func (r *Recording) refused(i int) bool {
	mate := r.entries[i].mate
	return mate >= 0 && !r.entries[mate].ok
}

// startKind returns one kind for launch and attach, because either may replace the other.
func startKind(name string) string {
	if name == "attach" {
		return "launch"
	}
	return name
}

// Roles of requests in a replay.
const (
	roleAsk    = iota // matched inside the segment
	roleSet           // breakpoints: always answered
	roleStart         // begins a segment, always answered
	roleResume        // begins a segment, must be the next recorded
	roleEnd           // disconnect: always answered
)

func role(command string) int {
	switch command {
	case "initialize", "launch", "attach", "configurationDone":
		return roleStart
	case "continue", "next", "stepIn", "stepOut", "pause", "stepBack", "reverseContinue", "goto", "restart",
		"restartFrame", "terminate":
		return roleResume
	case "disconnect":
		return roleEnd
	case "setBreakpoints", "setFunctionBreakpoints", "setExceptionBreakpoints", "setDataBreakpoints",
		"setInstructionBreakpoints":
		return roleSet
	}
	return roleAsk
}

// guessBackend checks capabilities that only one of the four debuggers has, then the adapter id that the client sent.
func guessBackend(caps json.RawMessage, adapterID string) string {
	var c struct {
		LLDB    json.RawMessage                  `json:"__lldb"`
		Filters []dap.ExceptionBreakpointsFilter `json:"exceptionBreakpointFilters"`
	}
	_ = json.Unmarshal(caps, &c) // invalid capabilities are ignored
	if c.LLDB != nil {
		return "lldb-dap"
	}
	for _, f := range c.Filters {
		switch f.Filter {
		case "user-unhandled":
			return "netcoredbg"
		case "unrecovered-panic":
			return "dlv"
		case "userUnhandled":
			return "debugpy"
		}
	}
	switch strings.ToLower(path.Base(adapterID)) {
	case "coreclr", "netcoredbg":
		return "netcoredbg"
	case "go", "dlv", "delve":
		return "dlv"
	case "python", "debugpy":
		return "debugpy"
	case "lldb", "lldb-dap", "lldb-vscode":
		return "lldb-dap"
	}
	return ""
}
