package adapter

import (
	"context"
	"sync/atomic"
	"time"

	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/dapclient"
	programsymbols "breakwire/mapping/symbols"

	"github.com/google/go-dap"
)

// inspection is the state that the reads of a session share. Any goroutine may use it.
type inspection struct {
	reads reads
	batch atomic.Bool // a batch_evaluate runs
	stuck stuckEvaluations
	cache inspect.Cache

	localsAwaited atomic.Int32 // calls whose answer will have the locals of the next stop
}

// view begins a read of the current stop. end must be called.
func (s *Session) view(ctx context.Context) (v *inspect.View, end func(), err error) {
	if busy := s.busy(); busy != nil {
		return nil, nil, busy
	}
	rctx, epoch, end, ok := s.inspection.reads.begin(ctx)
	if !ok {
		return nil, nil, s.whyNotPaused()
	}
	v = s.viewOf(inspect.Reader{Ctx: rctx, Request: ctx, Epoch: epoch})
	if stop := s.Snapshot().Stop; stop != nil {
		v.Stop = inspect.StopRead{Seq: stop.Seq, Thread: stop.ThreadID, Frame: stop.FrameIndex}
	}
	v.NoCalls = v.ReadOnly
	return v, end, nil
}

// viewOf returns a view for a reader.
func (s *Session) viewOf(by inspect.Reader) *inspect.View {
	return &inspect.View{Reader: by, Debugger: sessionDebugger{s}, Cache: &s.inspection.cache, Facts: inspect.Facts{
		Profile: s.profile, Session: s.id, Log: s.log, Local: s.backend.Local, Replayed: s.backend.Replayed,
		ReadOnly: s.manager.opts.Permissions.ReadOnly, Capabilities: s.Snapshot().advertised(),
	}}
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

// sessionDebugger is a session as its views ask it. It implements inspect.Debugger.
type sessionDebugger struct{ s *Session }

func (d sessionDebugger) Call(ctx context.Context, timeout time.Duration, command string,
	args any) (*dapclient.Message, error) {
	return d.s.debugger.conn.Call(ctx, timeout, command, args)
}

func (d sessionDebugger) Evaluate(by inspect.Reader, q inspect.Question) (dap.EvaluateResponseBody, error) {
	return d.s.evaluate(by, q)
}

func (d sessionDebugger) SetVariable(by inspect.Reader, frame dap.StackFrame, path string,
	args dap.SetVariableArguments) (*dapclient.Message, error) {
	return d.s.setVariable(by, frame, path, args)
}

func (d sessionDebugger) Failed(err error, what string) *fault.Error {
	return backendError(err, what, d.s)
}

func (d sessionDebugger) Location(f *dap.StackFrame) *inspect.Location { return d.s.locationOf(f) }

func (d sessionDebugger) Module(id string) (name, path string) {
	for _, m := range d.s.Snapshot().Modules {
		if m.ID == id {
			return m.Name, m.Path
		}
	}
	return "", ""
}

func (d sessionDebugger) Executable() string { return d.s.goBinary() }

func (d sessionDebugger) Source(file string) ([]byte, error) {
	return d.s.manager.sources.read(d.s.reader(), file)
}

func (d sessionDebugger) Extensions(function string) []string { return d.s.extensions(function) }

func (d sessionDebugger) Hiding(member string) []string { return d.s.hiding(member) }

func (d sessionDebugger) TupleOf(member string) []string { return d.s.tupleOf(member) }

func (d sessionDebugger) TupleNames(at inspect.Location, variable string) []string {
	return d.s.tupleNames(at, variable)
}

func (d sessionDebugger) Display(typ string) (programsymbols.Display, bool) { return d.s.shownAs(typ) }
