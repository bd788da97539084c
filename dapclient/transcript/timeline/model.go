package timeline

import (
	"time"
)

// Kind is the kind of an event.
type Kind uint8

// The kinds, in the order of the legend.
const (
	Start      Kind = iota // launch or attach
	Stop                   // the program was stopped until a request resumed it
	Trace                  // a hit of a line that was resumed at once: see Event.Native
	Output                 // the program's output, and the debugger's
	Breakpoint             // breakpoints were set, or one was bound
	Thread                 // a thread started or ended
	Module                 // code was loaded or unloaded
	Process                // the operating system's process
	Failure                // a request was refused, or a message was invalid
	Note                   // another request of the client that changes the program
	End                    // the program or the session ended
	kinds
)

var kindNames = [kinds]string{
	"start", "stop", "trace", "output", "breakpoint", "thread", "module", "process", "error", "note", "end",
}

// String returns the kind's name.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "unknown"
}

// Kinds returns the names of all kinds, by their number.
func Kinds() []string { return kindNames[:] }

// Event is one event of the timeline.
type Event struct {
	At    time.Duration // since the start of the recording
	Until time.Duration // of a stop: when it was resumed; 0 when the recording ends before
	Line  int           // of the recording
	Kind  Kind
	// Thread is the index of the thread in Timeline.Threads, -1 for none.
	Thread int
	// Place is an index into Timeline.Places, -1 for none.
	Place int
	// Stack is an index into Timeline.Stacks, -1 without a stackTrace.
	Stack int
	// Hit counts the stops and traces at one place, from 1.
	Hit int
	// Name is the reason of a stop, the stream of output, the command of a failure, or the change of a thread.
	Name   string
	Text   string
	Resume string // of a stop: the request that resumed it
	Native bool   // of a trace: from the debugger's own log point; otherwise a stop that was resumed at once
	Values []Value
}

// Value is the value of an expression or a variable at a stop.
type Value struct {
	Expr   string
	Text   string
	Type   string
	Depth  int  // of the frame; 0 is the top
	Failed bool // Text is the reason why there is no value
	Local  bool // listed with the variables of its frame, not asked for by name
}

// Place is a line of source.
type Place struct {
	File     string
	Line     int
	Function string
}

// ThreadName is a thread of the program.
type ThreadName struct {
	ID   int
	Name string
}

// Mark is a line that had a breakpoint.
type Mark struct {
	File         string
	Line         int // the bound line, if known
	Condition    string
	HitCondition string
	LogMessage   string
	Verified     bool
	Message      string // why it is not verified
}

// Series has the values of one expression over the hits of a place. The slices have equal lengths.
type Series struct {
	Place  int
	Expr   string
	Events []int // of each point
	Texts  []string
	Failed []bool
}

// Timeline is the content of a recording.
type Timeline struct {
	Backend  string
	Program  string
	Client   string
	Started  time.Time // zero when the recording does not say
	Duration time.Duration
	Messages int
	Own      int // requests of breakwire itself, which are not shown

	Events  []Event
	Threads []ThreadName
	Places  []Place
	Stacks  [][]int // of places
	Marks   []Mark
	Series  []Series
}

// Files returns the source files of events, stacks and breakpoints, in order of appearance.
func (t *Timeline) Files() []string {
	var files []string
	seen := make(map[string]bool)
	add := func(file string) {
		if file != "" && !seen[file] {
			seen[file] = true
			files = append(files, file)
		}
	}
	for i := range t.Events {
		if p := t.Events[i].Place; p >= 0 {
			add(t.Places[p].File)
		}
	}
	for _, m := range t.Marks {
		add(m.File)
	}
	for _, p := range t.Places {
		add(p.File)
	}
	return files
}
