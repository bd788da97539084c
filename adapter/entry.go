package adapter

import (
	"strings"

	"breakwire/adapter/inspect"
	"breakwire/mapping"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// entry is one breakpoint as the debugger holds it.
type entry struct {
	file     string // the debugger's path; "" for a function breakpoint
	real     string // without links; "" when it is not known on this disk
	others   map[string]bool
	line     int // as requested
	column   int
	function string // as the client named it
	name     string // of a function of .NET: as the debugger gets it
	watch    *inspect.Watched
	last     string // what the watched memory held when it was last looked at

	logicals  []*Breakpoint
	condition string // evaluated by the debugger
	filter    string // sent instead of condition: the debugger also counts, and reports each pass that halts
	native    string // log message of a log point
	notNative string // why a tracepoint with strategy native stops the program

	id       int // the debugger's; 0 when it gave none
	hasID    bool
	asked    bool // and answered, while other entries of its set are still to be sent
	verified bool
	bound    int    // where the debugger put it
	source   string // the file as the debugger names it
	message  string
	why      string // of a refused line: what the program's symbols add to the message
	next     int    // of a refused line: the next line with code, 0 when it is not known
	problem  string // the debugger's text when its condition could not be evaluated
	address  map[string]bool
	begun    map[place]bool // of a function: the places where it was reached
	supposed bool           // begun is a guess
}

// place is a line of a file, as the debugger names it.
type place struct {
	file string
	line int
}

func placeOf(f *dap.StackFrame) place {
	if f.Source == nil {
		return place{line: f.Line}
	}
	return place{f.Source.Path, f.Line}
}

// begin records a place where a function begins.
func (e *entry) begin(f *dap.StackFrame) {
	if e.begun == nil || e.supposed {
		e.supposed = false
		e.begun = map[place]bool{}
	}
	e.begun[placeOf(f)] = true
}

// suppose takes the first stop in a function, at a line that has a breakpoint too, as the function's beginning:
// elsewhere the beginning would have come before. The guess is wrong when the breakpoint was set while a thread was
// inside, so the next certain beginning replaces it.
func (e *entry) suppose(f *dap.StackFrame) {
	e.begin(f)
	e.supposed = true
}

// place returns the best known line.
func (e *entry) place() int {
	if e.bound > 0 {
		return e.bound
	}
	return e.line
}

// same reports whether two entries are for one place.
func (e *entry) same(o *entry) bool {
	return e.file == o.file && e.line == o.line && e.column == o.column && e.function == o.function && e.name == o.name &&
		e.watch == o.watch
}

// fileSet holds the entries of one file, or all function breakpoints.
type fileSet struct {
	entries []*entry
	sent    []*entry // sent and not answered yet; nil when all is answered
	busy    bool
	byID    bool // answers come in no fixed order

	wished, answered int // number of the last wish, and of the last wish that a complete answered list contained
}

// held is what the debugger holds, and what is known of the user's breakpoints there.
type held struct {
	files     map[string]*fileSet   // by the debugger's path
	spelled   map[string]string     // the debugger's path of a file, by real path
	links     []link                // links in the paths of the launch
	byLine    map[string]sourceLine // functions whose breakpoints are set by line
	functions *fileSet              // function breakpoints
	watched   watches
	all       []*entry            // cache of entries; nil when a set has changed
	temps     []*Breakpoint       // temporary breakpoints of run_to and entry
	panics    *Breakpoint         // at the panics of a Rust program; nil: it is none
	bindings  map[string]*Binding // by breakpoint id
	elsewhere string              // of bound breakpoints: Binding.Elsewhere
	callsFork bool                // the program does, and its children are not debugged
	removed   []*entry            // gone or disabled: the last version of each
	orphans   map[int]heldBreakpoint
	natives   map[string]*Breakpoint // native log points by id
	spent     []*Breakpoint          // log points that are removed at the next stop
	passes    passes                 // of conditions that the program tests
	logged    map[string]uint64      // hits of native log points that came, by id
	sent      map[string]uint64      // the same as the program has sent them, reported at its end; nil: not reported
}

func newHeld(functionsByID bool) held {
	return held{
		files: map[string]*fileSet{}, functions: &fileSet{byID: functionsByID}, watched: newWatches(),
		bindings: map[string]*Binding{},
		orphans:  map[int]heldBreakpoint{}, natives: map[string]*Breakpoint{}, logged: map[string]uint64{},
	}
}

// heldBreakpoint is a breakpoint as the debugger describes it (DAP, Breakpoint). The id may be absent, and it may be 0.
type heldBreakpoint struct {
	ID                   *int        `json:"id"`
	Verified             bool        `json:"verified"`
	Message              string      `json:"message"`
	Source               *dap.Source `json:"source"`
	Line                 int         `json:"line"`
	InstructionReference string      `json:"instructionReference"`
}

// located returns the debugger's description of a breakpoint, by the number of locations that its message has.
func located(p *dapclient.Profile, b heldBreakpoint) heldBreakpoint {
	if n := p.Locations.Find(b.Message); n != "" {
		b.Verified, b.Message = n != "0", ""
	}
	return b
}

// take updates an entry from the debugger's description.
func (e *entry) take(b heldBreakpoint) {
	if e.message != b.Message {
		e.why, e.next = "", 0
	}
	e.verified, e.message = b.Verified, b.Message
	if e.hasID = b.ID != nil; e.hasID {
		e.id = *b.ID
	}
	e.bound = 0
	if b.Verified || b.Line != e.line {
		e.bound = b.Line
	}
	if b.Source != nil && b.Source.Path != "" {
		e.source = b.Source.Path
	}
	if b.InstructionReference != "" {
		e.learn(b.InstructionReference)
	}
	if b.Verified {
		e.problem = b.Message
	}
}

func (e *entry) learn(address string) {
	if e.address == nil {
		e.address = map[string]bool{}
	}
	e.address[strings.ToLower(address)] = true // lldb-dap writes addresses in both cases
}

// isAt reports whether the entry is at the instruction with this address.
func (e *entry) isAt(address string) bool {
	return address != "" && e.address[strings.ToLower(address)]
}

// at reports whether a frame is at the place of an entry.
func (e *entry) at(f *dap.StackFrame) bool {
	if e.name != "" {
		return mapping.SameFunction(f.Name, e.name)
	}
	if e.function != "" {
		return sameFunction(f.Name, e.function)
	}
	if f.Source == nil || f.Line == 0 {
		return false
	}
	if e.verified && e.bound > 0 {
		if f.Line != e.bound {
			return false
		}
	} else if f.Line != e.line {
		return false
	}
	return e.sameFile(f)
}

// sameFunction reports whether a frame's name is the requested function. Parameters and the module do not count, and
// the request may leave the namespace out.
func sameFunction(frame, asked string) bool {
	if i := strings.IndexByte(asked, '!'); i >= 0 {
		asked = asked[i+1:]
	}
	strip := func(name string) string {
		if i := strings.IndexByte(name, '('); i > 0 {
			return name[:i]
		}
		return name
	}
	frame, asked = strip(frame), strip(asked)
	return frame == asked || strings.HasSuffix(frame, "."+asked) || strings.HasSuffix(frame, "::"+asked)
}
