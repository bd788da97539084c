package breakpoint

import (
	"path/filepath"
	"strings"

	"breakwire/adapter/inspect"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// Entry is one breakpoint as the debugger holds it.
type Entry struct {
	File     string // the debugger's path; "" for a function breakpoint
	Real     string // without links; "" when it is not known on this disk
	others   map[string]bool
	Line     int // as requested
	Column   int
	Function string // as the client named it
	Name     string // of a function of .NET: as the debugger gets it
	Watch    *inspect.Watched
	Last     string // what the watched memory held when it was last looked at

	Logicals  []*Breakpoint
	Condition string // evaluated by the debugger
	Filter    string // sent instead of condition: the debugger also counts, and reports each pass that halts
	Native    string // log message of a log point
	NotNative string // why a tracepoint with strategy native stops the program

	ID       int // the debugger's; 0 when it gave none
	HasID    bool
	Asked    bool // and answered, while other entries of its set are still to be sent
	Verified bool
	Bound    int    // where the debugger put it
	Source   string // the file as the debugger names it
	Message  string
	Why      string // of a refused line: what the program's symbols add to the message
	Next     int    // of a refused line: the next line with code, 0 when it is not known
	Problem  string // the debugger's text when its condition could not be evaluated
	Decided  bool   // a condition that the debugger cannot evaluate is decided here, so that Problem is not shown
	Address  map[string]bool
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
func (e *Entry) begin(f *dap.StackFrame) {
	if e.begun == nil || e.supposed {
		e.supposed = false
		e.begun = map[place]bool{}
	}
	e.begun[placeOf(f)] = true
}

// everyPass reports whether the debugger stops each time that the entry is reached.
func (e *Entry) everyPass() bool { return e.Condition == "" && e.Filter == "" }

// suppose takes the first stop in a function, at a line that has a breakpoint too, as the function's beginning:
// elsewhere the beginning would have come before, unless its condition was false. The guess is wrong when the
// breakpoint was set while a thread was inside, so the next certain beginning replaces it.
func (e *Entry) suppose(f *dap.StackFrame) {
	e.begin(f)
	e.supposed = true
}

// Place returns the best known line.
func (e *Entry) Place() int {
	if e.Bound > 0 {
		return e.Bound
	}
	return e.Line
}

// Same reports whether two entries are for one place.
func (e *Entry) Same(o *Entry) bool {
	return e.File == o.File && e.Line == o.Line && e.Column == o.Column && e.Function == o.Function && e.Name == o.Name &&
		e.Watch == o.Watch
}

// take updates an entry from the debugger's description.
func (e *Entry) take(b Answer) {
	if e.Message != b.Message {
		e.Why, e.Next = "", 0
	}
	e.Verified, e.Message = b.Verified, b.Message
	if e.HasID = b.ID != nil; e.HasID {
		e.ID = *b.ID
	}
	e.Bound = 0
	if b.Verified || b.Line != e.Line {
		e.Bound = b.Line
	}
	if b.Source != nil && b.Source.Path != "" {
		e.Source = b.Source.Path
	}
	if b.InstructionReference != "" {
		e.Learn(b.InstructionReference)
	}
	if b.Verified {
		e.Problem = b.Message
	}
	if e.Decided && b.Verified {
		e.Message = ""
	}
}

// Learn takes the address of an instruction at which the entry is.
func (e *Entry) Learn(address string) {
	if e.Address == nil {
		e.Address = map[string]bool{}
	}
	e.Address[strings.ToLower(address)] = true // lldb-dap writes addresses in both cases
}

// IsAt reports whether the entry is at the instruction with this address.
func (e *Entry) IsAt(address string) bool {
	return address != "" && e.Address[strings.ToLower(address)]
}

// at reports whether a frame is at the place of an entry.
func (e *Entry) at(f *dap.StackFrame) bool {
	if e.Name != "" {
		return mapping.SameFunction(f.Name, e.Name)
	}
	if e.Function != "" {
		return sameFunction(f.Name, e.Function)
	}
	if f.Source == nil || f.Line == 0 {
		return false
	}
	if e.Verified && e.Bound > 0 {
		if f.Line != e.Bound {
			return false
		}
	} else if f.Line != e.Line {
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
func (e *Entry) sameFile(f *dap.StackFrame) bool {
	path := f.Source.Path
	if mapping.SameFile(path, e.File) || e.Source != "" && mapping.SameFile(path, e.Source) {
		return true
	}
	if e.Real == "" || !filepath.IsAbs(path) {
		return false
	}
	// The disk is rarely read: only for frames at the same line number, and once for each path.
	same, known := e.others[path]
	if !known {
		if e.others == nil {
			e.others = map[string]bool{}
		}
		same = RealPath(path) == e.Real
		e.others[path] = same
	}
	return same
}
