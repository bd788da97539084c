package adapter

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"breakwire/adapter/fault"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// callTimeout bounds one request of an inspection.
const callTimeout = 10 * time.Second

// inspection is the state that the reads of a session share. Any goroutine may use it.
type inspection struct {
	reads  reads
	batch  atomic.Bool // a batch_evaluate runs
	stuck  stuckEvaluations
	frames frameCache
	places places
	params parameters
	locals stopLocals
	// globals are the variables of packages of Go, by a function of the package.
	globals parameters

	repeats sync.Map // function and expression to whether repeatable said so
}

// forget drops values when they may have changed although the program has not run.
func (i *inspection) forget() {
	i.places.forget()
	i.locals.forget()
}

// view is a read of one stop. It may send requests until the stop is over.
type view struct {
	s       *Session
	ctx     context.Context // ends with the stop
	request context.Context // of the caller
	epoch   uint64          // 0: of a stop that was not shown; nothing of it is cached
	stop    *Stop

	// The following fields are for one call that reads values, in one frame.
	here       dap.StackFrame
	index      int                    // of here
	hereThread int                    // the thread of here
	kids       map[int][]dap.Variable // children already read
	lookUntil  time.Time              // see mayLook
	unread     int                    // questions that mayLook had no time for
	noFields   bool                   // fields cannot be evaluated
	noCalls    bool                   // calls may not be evaluated
	plain      bool                   // only scopes and variables are asked for
	owner      string                 // id of the breakpoint whose question it is

	membersRead int // see memberValues
}

// view begins a read of the current stop. end must be called.
func (s *Session) view(ctx context.Context) (v *view, end func(), err error) {
	if busy := s.busy(); busy != nil {
		return nil, nil, busy
	}
	rctx, epoch, end, ok := s.inspection.reads.begin(ctx)
	if !ok {
		return nil, nil, s.whyNotPaused()
	}
	return &view{s: s, ctx: rctx, request: ctx, epoch: epoch, stop: s.Snapshot().Stop,
		noCalls: s.manager.opts.Permissions.ReadOnly}, end, nil
}

// whyNotPaused is notPaused for callers outside the loop.
func (s *Session) whyNotPaused() *fault.Error { return s.notPausedIn(s.Snapshot().State) }

// checkRuns returns an error unless the program is running or paused.
func (s *Session) checkRuns() *fault.Error {
	if state := s.Snapshot().State; state != Running && state != Paused {
		return s.notPausedIn(state)
	}
	return nil
}

// call sends one request to the debugger.
func (v *view) call(timeout time.Duration, command string, args any) (*dapclient.Message, error) {
	return v.s.debugger.conn.Call(v.ctx, timeout, command, args)
}

// backendError turns the error of a request into an error for the client.
func backendError(err error, what string, s *Session) *fault.Error {
	var e *fault.Error
	var failed *dapclient.ResponseError
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, dapclient.ErrClosed):
		select {
		case <-s.life.ended:
			return s.died()
		case <-time.After(time.Second):
			return fault.Errorf(fault.BackendExited, "%s: the debugger is gone", what).With("sessionId", s.id)
		}
	case errors.Is(err, dapclient.ErrDeadline):
		if gone := s.goneError(what); gone != nil {
			return gone
		}
		if busy := s.busy(); busy != nil {
			return busy
		}
		return fault.Errorf(fault.Timeout, "%s: %s did not answer in time", what, s.profile.Name).With("sessionId", s.id)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.Errorf(fault.Cancelled, "%s: the call was cancelled", what)
	case errors.As(err, &failed):
		if gone := s.goneError(what); gone != nil {
			return gone.With("backendMessage", failed.Reason())
		}
		code := fault.Internal
		if strings.Contains(strings.ToLower(failed.Reason()), "operation was cancel") {
			code = fault.Cancelled
		}
		if s.notRecorded(failed) {
			return s.refusedByReplay(failed, what)
		}
		return fault.Errorf(code, "%s: %s", what, explained(err)).
			With("backendMessage", failed.Reason()).With("command", failed.Command).With("sessionId", s.id)
	}
	return fault.Errorf(fault.Internal, "%s: %v", what, err)
}

// seq returns the number of the stop, 0 when it is not known.
func (v *view) seq() uint64 {
	if v.stop == nil {
		return 0
	}
	return v.stop.Seq
}

// thread returns the thread for a parameter. 0 means the thread of the stop.
func (v *view) thread(id int) int {
	if id == 0 && v.stop != nil {
		return v.stop.ThreadID
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
	if v.stop != nil && v.thread(thread) == v.stop.ThreadID {
		return v.stop.FrameIndex, nil
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
	if f, ok := v.s.inspection.frames.get(v.epoch, thread, index); ok {
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
	if frames, total, ok := v.s.inspection.frames.getAhead(v.epoch, thread, start, levels); ok {
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
		return nil, 0, backendError(err, "the stack could not be read", v.s)
	}
	body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](m)
	if err != nil {
		return nil, 0, backendError(err, "the stack could not be read", v.s)
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
	v.s.inspection.frames.put(v.epoch, thread, start, frames)
	return frames, body.TotalFrames, nil
}
