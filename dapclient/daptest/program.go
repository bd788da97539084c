package daptest

import "math"

// Program is a simulated debuggee.
type Program struct {
	// Name is in the process event; Path is the main module. Both have defaults.
	Name, Path string
	PID        int // 4242 when zero
	Threads    []Thread
	// NoSymbols: the main module has none. Sources says what binds all the same.
	NoSymbols bool
	// Sources lists the files with symbols, and their lines with code. A nil list means every line; a nil map means
	// every line of every file.
	Sources map[string][]int
	// Functions are those that function breakpoints can be set at. Nil: all, except those with NoSuch in the name.
	Functions []string
	// Globals are in the Globals scope of lldb-dap and debugpy, and of Delve while it is told to show them. All families
	// can evaluate them.
	Globals []Var
	// Modules are reported at the start, before the main module.
	Modules []Module
	// ExitCode is the exit code after all threads have ended.
	ExitCode int
	// LaunchError makes the launch or attach fail with this reason.
	LaunchError string
	// Eval answers evaluations first; with ok false the variables of the frame are used. It must not block: for a
	// late answer it returns a Var with a Gate.
	Eval func(EvalCall) (v Var, ok bool)
	// OnSet is called for setVariable and setExpression.
	OnSet func(thread int, name, value string)
}

// EvalCall is one expression to evaluate.
type EvalCall struct {
	Thread, Frame       int // id of the thread, index of the frame
	Expression, Context string
	Step                *Step
	Vars                []Var // of that frame
}

// Thread is a thread of a Program.
type Thread struct {
	ID   int    // a default by shape when zero
	Name string // a default by shape when empty
	Code Code
	// Waits: the thread does not exist until a Step of another thread starts it.
	Waits bool
	// Background: the process does not wait for the end of this thread.
	Background bool
	// Parked: Delve shows no system thread for this goroutine.
	Parked bool
}

// Code is the lines that a thread passes: At(i) for i in 0..Len-1. At must be a pure function; it is called once for
// each line passed. Len can be Forever.
type Code struct {
	Len int
	At  func(i int) Step
}

// Forever is the length of endless code.
const Forever = math.MaxInt

// Lines is code of fixed steps.
func Lines(steps ...Step) Code {
	return Code{Len: len(steps), At: func(i int) Step { return steps[i] }}
}

// Loop is n passes of a body. Each function returns one line for the number of the pass.
func Loop(n int, body ...func(i int) Step) Code {
	total := Forever
	if n != Forever {
		total = n * len(body)
	}
	return Code{Len: total, At: func(i int) Step { return body[i%len(body)](i / len(body)) }}
}

// Seq is a sequence of code.
func Seq(parts ...Code) Code {
	total := 0
	for _, p := range parts {
		if p.Len == Forever {
			total = Forever
			break
		}
		total += p.Len
	}
	return Code{Len: total, At: func(i int) Step {
		for _, p := range parts {
			if i < p.Len {
				return p.At(i)
			}
			i -= p.Len
		}
		panic("daptest: step out of range")
	}}
}

// Step is one line that a thread passes. A stop at it is before it has run; outputs, gates and exceptions happen when
// it runs.
type Step struct {
	File string // empty: a frame without source
	Line int
	Func string
	// Callers are the frames below, the nearest first. Their number is the depth that steps use.
	Callers []Frame
	Vars    []Var
	// Landing: the middle of the line is reached again, when a call returns. Breakpoints do not fire here, and only a
	// step that began deeper stops.
	Landing bool

	Stdout, Stderr string
	// Gate, when not nil, must be closed or sent to before the line is done. It simulates a sleep or a lock.
	Gate <-chan struct{}
	// Throws is an exception of this line.
	Throws *Exception
	// Writes and Reads are the variables that this line touches.
	Writes []Write
	Reads  []string
	// Break is a breakpoint in the program's own code (Debugger.Break, breakpoint()).
	Break bool
	// Loads is a module loaded by this line.
	Loads *Module
	// Starts are the IDs of threads, declared with Waits, that this line starts.
	Starts []int
	// Exits ends the process at once with *Exits.
	Exits *int
}

// Depth is the number of frames below the top one.
func (s *Step) Depth() int { return len(s.Callers) }

// Frame is a calling frame.
type Frame struct {
	File string
	Line int
	Func string
	Vars []Var
}

// Var is a variable, or the value of an expression.
type Var struct {
	Name, Value, Type string
	Children          []Var
	// Err, when not empty, makes the evaluation fail with it.
	Err string
	// Calls is the ID of a thread, declared with Waits, that runs the function which the expression calls.
	Calls int
	// Gate holds the answer (and all requests behind it) until it is closed or sent to.
	Gate <-chan struct{}
}

// Exception is thrown by a Step.
type Exception struct {
	Type, Message string
	Inner         []Exception
	// Unhandled ends the process after the last stop.
	Unhandled bool
}

// Module is a library or executable of the debuggee.
type Module struct {
	ID, Name, Path string
	Symbols        bool
	// Sources are the files whose breakpoints bind when the module is loaded. See
	// Program.Sources.
	Sources map[string][]int
}
