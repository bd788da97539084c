package adapter

import (
	"context"
	"sync"
	"time"
)

// reads counts the open reads of the current stop, so that a resume can wait for them: some debuggers cancel queued
// requests on a resume, and the ids in the requests are only valid at the stop.
type reads struct {
	mu     sync.Mutex
	open   bool
	epoch  uint64
	count  int
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   func()    // called once when count becomes zero
	ended  time.Time // when the last read ended, or the epoch began
}

// begin admits a read of the current stop. ctx ends when the stop is over.
func (r *reads) begin(ctx context.Context) (rctx context.Context, epoch uint64, end func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.open {
		return nil, 0, nil, false
	}
	r.count++
	rctx, cancel := context.WithCancelCause(ctx)
	epochCtx := r.ctx
	stop := context.AfterFunc(epochCtx, func() { cancel(context.Cause(epochCtx)) })
	admitted := r.epoch
	return rctx, admitted, func() {
		stop()
		cancel(nil)
		r.leave(admitted)
	}, true
}

// leave ends one read. A read of an aborted epoch no longer counts.
func (r *reads) leave(epoch uint64) {
	var idle func()
	r.mu.Lock()
	if epoch == r.epoch {
		r.ended = time.Now()
		if r.count--; r.count == 0 {
			idle, r.idle = r.idle, nil
		}
	}
	r.mu.Unlock()
	if idle != nil {
		idle()
	}
}

// admit opens an epoch.
func (r *reads) admit(parent context.Context, epoch uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open, r.epoch, r.count, r.idle, r.ended = true, epoch, 0, nil, time.Now()
	if r.cancel != nil {
		r.cancel(nil) // no read of the last epoch is open, and parent would keep its context
	}
	r.ctx, r.cancel = context.WithCancelCause(parent)
}

// quiet returns for how long no read was open.
func (r *reads) quiet() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count > 0 {
		return 0
	}
	return time.Since(r.ended)
}

// close refuses further reads and calls idle when none is open: now, or on the goroutine that ends the last one.
func (r *reads) close(idle func()) {
	r.mu.Lock()
	r.open = false
	if r.count > 0 {
		r.idle = idle
		r.mu.Unlock()
		return
	}
	r.mu.Unlock()
	idle()
}

// abort ends the open reads with a cause.
func (r *reads) abort(cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = false
	if r.cancel != nil {
		r.cancel(cause)
	}
}
