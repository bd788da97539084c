package adapter

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

	"github.com/google/go-dap"
)

// stopDebugger answers the questions of a view.
type stopDebugger interface {
	// Call sends one request and waits for its answer.
	Call(ctx context.Context, timeout time.Duration, command string, args any) (*dapclient.Message, error)
	// Evaluate asks for a value (DAP, Evaluate request). Some debuggers let the program run meanwhile, and some cannot
	// abort an evaluation whose time is over: the error says so.
	Evaluate(by reader, q evaluateQuestion) (dap.EvaluateResponseBody, error)
	// SetVariable sets a child of a container (DAP, SetVariable request). path is the child's.
	SetVariable(by reader, frame dap.StackFrame, path string, args dap.SetVariableArguments) (*dapclient.Message, error)
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
}

// evaluateQuestion is an expression to evaluate. context is that of the request (DAP, Evaluate request).
type evaluateQuestion struct {
	context    string
	frame      dap.StackFrame
	expression string
	timeout    time.Duration
}

// facts are what a view knows of its session.
type facts struct {
	profile      *dapclient.Profile
	session      string // id
	log          *slog.Logger
	local        bool // the program's files are on this machine
	replayed     bool // a recording answers
	readOnly     bool
	capabilities dap.Capabilities
	stop         stopRead
}

// stopRead is the stop that a view reads. Its zero value is a stop that is not shown.
type stopRead struct {
	seq           uint64
	thread, frame int // what the stop names; the index of the frame
}

// readCache is what was read at the current stop, and what does not change while the program lives. Any goroutine may
// use it.
type readCache struct {
	frames frameCache
	places places
	params parameters
	// globals are the variables of packages of Go, by a function of the package.
	globals parameters

	repeats sync.Map // function and expression to whether repeatable said so
}

// reader is who asks for values.
type reader struct {
	ctx        context.Context // ends with the stop
	request    context.Context // of the caller
	epoch      uint64          // 0: of a stop that was not shown; nothing of it is cached
	hereThread int             // the thread of the frame
	owner      string          // id of the breakpoint whose question it is
}

// view is a read of one stop. It may send requests until the stop is over.
type view struct {
	reader
	facts
	debugger stopDebugger
	cache    *readCache

	// The following fields are for one call that reads values, in one frame.
	here      dap.StackFrame
	index     int                    // of here
	kids      map[int][]dap.Variable // children already read
	lookUntil time.Time              // see mayLook
	unread    int                    // questions that mayLook had no time for
	noFields  bool                   // fields cannot be evaluated
	noCalls   bool                   // calls may not be evaluated

	membersRead int // see memberValues
}

// call sends one request to the debugger.
func (v *view) call(timeout time.Duration, command string, args any) (*dapclient.Message, error) {
	return v.debugger.Call(v.ctx, timeout, command, args)
}

// seq returns the number of the stop, 0 when it is not known.
func (v *view) seq() uint64 {
	return v.stop.seq
}

// thread returns the thread for a parameter. 0 means the thread of the stop.
func (v *view) thread(id int) int {
	if id == 0 {
		return v.stop.thread
	}
	return id
}

// NamedFrame is the frame index of a query without one: the frame that the stop names.
const NamedFrame = -1

// choose sets the frame that a read is about.
func (v *view) choose(thread, index int) (err error) {
	if v.index = index; index == NamedFrame {
		if v.index, err = v.namedFrame(thread); err != nil {
			return err
		}
	}
	v.here, err = v.frame(thread, v.index)
	return err
}

// namedFrame returns the index of the frame that the stop names; of another thread, of the first frame of the program's
// own.
func (v *view) namedFrame(thread int) (int, error) {
	if v.stop.seq != 0 && v.thread(thread) == v.stop.thread {
		return v.stop.frame, nil
	}
	frames, _, err := v.stack(v.thread(thread), 0, locateDepth)
	if err != nil {
		return 0, err
	}
	return max(0, slices.IndexFunc(frames, isUserFrame)), nil
}

// frame returns a frame by thread and index.
func (v *view) frame(thread, index int) (dap.StackFrame, error) {
	thread = v.thread(thread)
	v.hereThread = thread
	if f, ok := v.cache.frames.get(v.epoch, thread, index); ok {
		return f, nil
	}
	frames, _, err := v.stack(thread, index, 1)
	if err != nil {
		return dap.StackFrame{}, err
	}
	if len(frames) == 0 {
		return dap.StackFrame{}, fault.Errorf(fault.InvalidFrame,
			"thread %d has no frame %d; stacktrace_get shows its frames",
			thread, index).
			With("threadId", thread).With("frameIndex", index)
	}
	return frames[0], nil
}

// deepest bounds the index of a requested frame. Delve allocates all frames before it.
const deepest = 1 << 20

// stack asks for frames. levels 0 means all.
func (v *view) stack(thread, start, levels int) ([]dap.StackFrame, int, error) {
	if frames, total, ok := v.cache.frames.getAhead(v.epoch, thread, start, levels); ok {
		return frames, total, nil
	}
	m, err := v.call(callTimeout, "stackTrace",
		dapclient.StackTraceArguments{ThreadID: thread, StartFrame: min(start, deepest), Levels: levels})
	if err != nil {
		var failed *dapclient.ResponseError
		if errors.As(err, &failed) {
			if e := v.missing(thread); e != nil {
				return nil, 0, e
			}
		}
		return nil, 0, v.debugger.Failed(err, "the stack could not be read")
	}
	body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](m)
	if err != nil {
		return nil, 0, v.debugger.Failed(err, "the stack could not be read")
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
	v.cache.frames.put(v.epoch, thread, start, frames)
	return frames, body.TotalFrames, nil
}

// callTimeout bounds one request of an inspection.
const callTimeout = 10 * time.Second

// missing returns an error when the program has no thread with this id.
func (v *view) missing(id int) *fault.Error {
	m, err := v.call(callTimeout, "threads", nil)
	if err != nil {
		return nil // unknown: the first error says more
	}
	return unknownThread(id, dapclient.DecodeThreads(m))
}

// unknownThread returns an error unless the thread is one of the list, or the list may lack it.
func unknownThread(id int, threads []dap.Thread) *fault.Error {
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

// locateDepth is how many frames are searched for the program's own code below library code.
const locateDepth = 20
