package timeline

import (
	"time"
)

// Kind says what an event is.
type Kind uint8

// The kinds, in the order in which a legend shows them.
const (
	Start      Kind = iota // launch or attach
	Stop                   // the program stood until somebody let it go on
	Trace                  // a hit of a line that did not hold the program up: see Event.Native
	Output                 // what the program wrote, and what the debugger had to say
	Breakpoint             // breakpoints were set, or one was bound to its place
	Thread                 // a thread started or ended
	Module                 // code was loaded or unloaded
	Process                // the operating system's process
	Failure                // a request was refused, or a message was not understood
	Note                   // whatever else the client did that changes the program
	End                    // the program or the session ended
	kinds
)

var kindNames = [kinds]string{
	"start", "stop", "trace", "output", "breakpoint", "thread", "module", "process", "error", "note", "end",
}

// String is the kind's name as the page and the terminal show it.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "unknown"
}

// Kinds are the names of all kinds, by their number.
func Kinds() []string { return kindNames[:] }

// Event is one thing that happened.
type Event struct {
	At    time.Duration // since the start of the recording
	Until time.Duration // of a stop: when it was let go; 0 when the recording ends before
	Line  int           // of the recording
	Kind  Kind
	// Thread is the index of the thread in Timeline.Threads, -1 for none.
	Thread int
	// Place is where it happened, an index into Timeline.Places, -1 for nowhere.
	Place int
	// Stack is an index into Timeline.Stacks, -1 when nobody asked.
	Stack int
	// Hit counts the stops and traces at one place, from 1.
	Hit int
	// Name is the reason of a stop, the stream of output, the command of a failure, what became of a thread.
	Name   string
	Text   string
	Resume string // of a stop: the request that let it go on
	Native bool   // of a trace: the debugger's own log point told it; otherwise it is a stop that was let go at once
	Values []Value
}

// Value is what an expression or a variable was at a stop.
type Value struct {
	Expr   string
	Text   string
	Type   string
	Depth  int  // of the frame; 0 is the top
	Failed bool // Text says why there is none
	Local  bool // it was listed with the variables of its frame, nobody asked for it by name
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

// Mark is a line that had a breakpoint at some time.
type Mark struct {
	File         string
	Line         int // bound, once that is known
	Condition    string
	HitCondition string
	LogMessage   string
	Verified     bool
	Message      string // why it is not verified
}

// Series is what one expression was over the hits of a place. The slices have one length.
type Series struct {
	Place  int
	Expr   string
	Events []int // of each point
	Texts  []string
	Failed []bool
}

// Timeline is a recording, told.
type Timeline struct {
	Backend  string
	Program  string
	Client   string
	Started  time.Time // zero when the recording does not say
	Duration time.Duration
	Messages int
	Own      int // questions that breakwire asked for itself: they are not told

	Events  []Event
	Threads []ThreadName
	Places  []Place
	Stacks  [][]int // of places
	Marks   []Mark
	Series  []Series
}

// Files are the source files that events, stacks and breakpoints name, in order of appearance.
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
