package adapter

import (
	"path/filepath"
	"strings"

	"breakwire/adapter/inspect"
	"breakwire/mapping"

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

// sameFile reports whether a frame is in the entry's file, also when the debugger names it by another path.
func (e *entry) sameFile(f *dap.StackFrame) bool {
	path := f.Source.Path
	if mapping.SameFile(path, e.file) || e.source != "" && mapping.SameFile(path, e.source) {
		return true
	}
	if e.real == "" || !filepath.IsAbs(path) {
		return false
	}
	// The disk is rarely read: only for frames at the same line number, and once for each path.
	same, known := e.others[path]
	if !known {
		if e.others == nil {
			e.others = map[string]bool{}
		}
		same = realPath(path) == e.real
		e.others[path] = same
	}
	return same
}
