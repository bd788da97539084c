package inspect

import (
	"context"
	"fmt"
	"sync"
	"time"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// Early is a question that was sent before its reader asked it, and its answer.
type Early struct {
	Command string
	Args    any // comparable
	over    chan struct{}
	m       *dapclient.Message
	err     error
}

// Answer takes the answer.
func (e *Early) Answer(m *dapclient.Message, err error) {
	if err == nil {
		err = m.Err()
	}
	e.m, e.err = m, err
	close(e.over)
}

// wait waits for the answer.
func (e *Early) wait(ctx context.Context, timeout time.Duration) (*dapclient.Message, error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-e.over:
		return e.m, e.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-timer.C:
		return nil, fmt.Errorf("%s: %w (%v)", e.Command, dapclient.ErrDeadline, timeout)
	}
}

// earlyAnswers are the early questions of a stop, in the order in which they were sent. They are used once and in this
// order. Any other question drops them, because it may give an id another meaning.
type earlyAnswers struct {
	mu    sync.Mutex
	epoch uint64
	list  []*Early
}

// PutEarly keeps early questions for the readers of a stop.
func (c *Cache) PutEarly(epoch uint64, list []*Early) {
	c.early.mu.Lock()
	defer c.early.mu.Unlock()
	c.early.epoch, c.early.list = epoch, list
}

// take returns the early question that is the same, else nil.
func (a *earlyAnswers) take(epoch uint64, command string, args any) (same *Early) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.list) == 0 {
		return nil
	}
	if first := a.list[0]; a.epoch == epoch && first.Command == command && first.Args == args {
		same, a.list = first, a.list[1:]
		return same
	}
	a.list = nil
	return nil
}

func (a *earlyAnswers) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = nil
}

// localsIDs are the ids by which the locals of a stop were read.
type localsIDs struct{ frame, reference int }

// EarlyLocals returns the questions for the locals of the next stop, when the ids of the last two stops were the same.
// Else it returns nil.
func (c *Cache) EarlyLocals() []*Early {
	l := &c.locals
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ids != l.idsBefore || l.ids.reference == 0 {
		return nil
	}
	return []*Early{
		{Command: "scopes", Args: dap.ScopesArguments{FrameId: l.ids.frame}, over: make(chan struct{})},
		{Command: "variables", Args: dap.VariablesArguments{VariablesReference: l.ids.reference}, over: make(chan struct{})},
	}
}
