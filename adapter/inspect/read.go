package inspect

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/fault"
	"breakwire/dapclient"
	"breakwire/mapping/symbols"

	"github.com/google/go-dap"
)

// Debugger answers the questions of a view.
type Debugger interface {
	// Call sends one request and waits for its answer.
	Call(ctx context.Context, timeout time.Duration, command string, args any) (*dapclient.Message, error)
	// Evaluate asks for a value (DAP, Evaluate request). Some debuggers let the program run meanwhile, and some cannot
	// abort an evaluation whose time is over: the error says so.
	Evaluate(by Reader, q Question) (dap.EvaluateResponseBody, error)
	// SetVariable sets a child of a container (DAP, SetVariable request). path is the child's.
	SetVariable(by Reader, frame dap.StackFrame, path string, args dap.SetVariableArguments) (*dapclient.Message, error)
	// Failed turns the error of a request into one for the client. what was not done.
	Failed(err error, what string) *fault.Error
	// Location returns the place of a frame, with the client's path of its file.
	Location(f *dap.StackFrame) *Location
	// Module returns the name and the file of a module, "" when it is not known.
	Module(id string) (name, path string)
	// Executable returns the path of the program's executable on this machine, "" when it is not known.
	Executable() string
	// Source returns the text of a source file that the program names.
	Source(file string) ([]byte, error)
	// Extensions returns the types of the program's modules that have a function of that name.
	Extensions(function string) []string
	// Hiding returns the types in which a member hides one of a base class.
	Hiding(member string) []string
	// TupleOf returns the names of the elements of the tuples in the type of a member or a parameter of the program:
	// "Shop.Order.Range", "Shop.Order.Find()" for what a method returns, "Shop.Order.Find(range" for a parameter.
	TupleOf(member string) []string
	// TupleNames is TupleOf for a local variable, at a place in the source.
	TupleNames(at Location, variable string) []string
	// Display returns how the program wants the values of a type to be shown.
	Display(typ string) (symbols.Display, bool)
}

// Question is an expression to evaluate. Context is that of the request (DAP, Evaluate request).
type Question struct {
	Context    string
	Frame      dap.StackFrame
	Expression string
	Timeout    time.Duration
}

// Facts are what a view knows of its session.
type Facts struct {
	Profile      *dapclient.Profile
	Session      string // id
	Log          *slog.Logger
	Local        bool // the program's files are on this machine
	Replayed     bool // a recording answers
	ReadOnly     bool
	Capabilities dap.Capabilities
	Stop         StopRead
}

// StopRead is the stop that a view reads. Its zero value is a stop that is not shown.
type StopRead struct {
	Seq           uint64
	Thread, Frame int // what the stop names; the index of the frame
}

// Cache is what was read at the current stop, and what does not change while the program lives. Any goroutine may
// use it.
type Cache struct {
	Frames frameCache
	places places
	params parameters
	locals stopLocals
	early  earlyAnswers
	// globals are the variables of packages of Go, by a function of the package.
	globals parameters

	repeats sync.Map // function and expression to whether repeatable said so
}

// forget drops values when they may have changed although the program has not run.
func (c *Cache) forget() {
	c.places.forget()
	c.locals.forget()
	c.early.forget()
}

// Reader is who asks for values.
type Reader struct {
	Ctx        context.Context // ends with the stop
	Request    context.Context // of the caller
	Epoch      uint64          // 0: of a stop that was not shown; nothing of it is cached
	HereThread int             // the thread of the frame
	Owner      string          // id of the breakpoint whose question it is
}

// View is a read of one stop. It may send requests until the stop is over.
type View struct {
	Reader
	Facts
	Debugger Debugger
	Cache    *Cache

	// The following fields are for one call that reads values, in one frame.
	Here      dap.StackFrame
	index     int                    // of here
	kids      map[int][]dap.Variable // children already read
	lookUntil time.Time              // see mayLook
	unread    int                    // questions that mayLook had no time for
	noFields  bool                   // fields cannot be evaluated
	NoCalls   bool                   // calls may not be evaluated
	plain     bool                   // only scopes and variables are asked for

	membersRead int // see memberValues
}

// Call sends one request to the debugger.
func (v *View) Call(timeout time.Duration, command string, args any) (*dapclient.Message, error) {
	if e := v.Cache.early.take(v.Epoch, command, args); e != nil {
		return e.wait(v.Ctx, timeout)
	}
	return v.Debugger.Call(v.Ctx, timeout, command, args)
}

// seq returns the number of the stop, 0 when it is not known.
func (v *View) seq() uint64 {
	return v.Stop.Seq
}

// thread returns the thread for a parameter. 0 means the thread of the stop.
func (v *View) thread(id int) int {
	if id == 0 {
		return v.Stop.Thread
	}
	return id
}

// NamedFrame is the frame index of a query without one: the frame that the stop names.
const NamedFrame = -1

// choose sets the frame that a read is about.
func (v *View) choose(thread, index int) (err error) {
	if v.index = index; index == NamedFrame {
		if v.index, err = v.namedFrame(thread); err != nil {
			return err
		}
	}
	v.Here, err = v.frame(thread, v.index)
	return err
}

// namedFrame returns the index of the frame that the stop names; of another thread, of the first frame of the program's
// own.
func (v *View) namedFrame(thread int) (int, error) {
	if v.Stop.Seq != 0 && v.thread(thread) == v.Stop.Thread {
		return v.Stop.Frame, nil
	}
	frames, _, err := v.stack(v.thread(thread), 0, LocateDepth)
	if err != nil {
		return 0, err
	}
	return max(0, slices.IndexFunc(frames, IsUserFrame)), nil
}

// frame returns a frame by thread and index.
func (v *View) frame(thread, index int) (dap.StackFrame, error) {
	thread = v.thread(thread)
	v.HereThread = thread
	if f, ok := v.Cache.Frames.Get(v.Epoch, thread, index); ok {
		return f, nil
	}
	frames, _, err := v.stack(thread, index, 1)
	if err != nil {
		return dap.StackFrame{}, err
	}
	if len(frames) == 0 {
		return dap.StackFrame{}, fault.Errorf(fault.InvalidFrame,
			"thread %d has no frame %d; stacktrace_get shows its frames (those of kind async have no variables)",
			thread, index).
			With("threadId", thread).With("frameIndex", index)
	}
	return frames[0], nil
}

// deepest bounds the index of a requested frame. Delve allocates all frames before it.
const deepest = 1 << 20

// stack asks for frames. levels 0 means all.
func (v *View) stack(thread, start, levels int) ([]dap.StackFrame, int, error) {
	if frames, total, ok := v.Cache.Frames.getAhead(v.Epoch, thread, start, levels); ok {
		return frames, total, nil
	}
	m, err := v.Call(CallTimeout, "stackTrace",
		dapclient.StackTraceArguments{ThreadID: thread, StartFrame: min(start, deepest), Levels: levels})
	if err != nil {
		var failed *dapclient.ResponseError
		if errors.As(err, &failed) {
			if e := v.missing(thread); e != nil {
				return nil, 0, e
			}
		}
		return nil, 0, v.Debugger.Failed(err, "the stack could not be read")
	}
	body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](m)
	if err != nil {
		return nil, 0, v.Debugger.Failed(err, "the stack could not be read")
	}
	frames := body.StackFrames
	if len(frames) == 0 { // lldb-dap answers so for a thread that does not exist
		if e := v.missing(thread); e != nil {
			return nil, 0, e
		}
	}
	if start > deepest {
		frames = nil
	}
	// Some adapters ignore startFrame and levels.
	if levels > 0 && len(frames) > levels {
		frames = frames[:levels]
	}
	v.Cache.Frames.Put(v.Epoch, thread, start, frames)
	return frames, body.TotalFrames, nil
}

// CallTimeout bounds one request of an inspection.
const CallTimeout = 10 * time.Second

// missing returns an error when the program has no thread with this id.
func (v *View) missing(id int) *fault.Error {
	m, err := v.Call(CallTimeout, "threads", nil)
	if err != nil {
		return nil // unknown: the first error says more
	}
	return UnknownThread(id, dapclient.DecodeThreads(m))
}

// UnknownThread returns an error unless the thread is one of the list, or the list may lack it.
func UnknownThread(id int, threads []dap.Thread) *fault.Error {
	is := func(th dap.Thread) bool { return th.Id == id }
	if len(threads) == 0 || len(threads) >= wholeList || slices.ContainsFunc(threads, is) {
		return nil
	}
	const most = 20
	known := make([]int, len(threads))
	var named []string
	for i, th := range threads {
		known[i] = th.Id
		if i < most {
			named = append(named, strconv.Itoa(th.Id))
		}
	}
	if len(threads) > most {
		named = append(named, "...")
	}
	return fault.Errorf(fault.InvalidThread, "there is no thread %d; there are %s (threads_list shows them)", id,
		strings.Join(named, ", ")).
		With("threadId", id).With("known", known)
}

// wholeList is the length from which on a list of threads may lack some: Delve lists so many goroutines at most.
const wholeList = 1024

// LocateDepth is how many frames are searched for the program's own code below library code.
const LocateDepth = 20
