package inspect

import (
	"sync"

	"github.com/google/go-dap"
)

// frameCache keeps the frames of the current stop, so that each is asked for once.
type frameCache struct {
	mu    sync.Mutex
	epoch uint64
	stack map[int]map[int]dap.StackFrame // thread, index
	ahead StackAhead
}

// StackAhead is the innermost part of a stack, read together with the stop.
type StackAhead struct {
	thread int
	frames []dap.StackFrame
	total  int // as the debugger says
	whole  bool
}

// part returns frames of it. ok is false when it does not contain them all.
func (a *StackAhead) part(thread, start, levels int) ([]dap.StackFrame, bool) {
	n := len(a.frames)
	switch {
	case thread != a.thread || n == 0 || levels <= 0:
		return nil, false
	case start+levels <= n:
		return a.frames[start : start+levels : start+levels], true
	case a.whole:
		return a.frames[min(start, n):n:n], true
	}
	return nil, false
}

func (c *frameCache) PutAhead(epoch uint64, a StackAhead) {
	if len(a.frames) == 0 {
		return
	}
	c.Put(epoch, a.thread, 0, a.frames)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead = a
}

func (c *frameCache) getAhead(epoch uint64, thread, start, levels int) (frames []dap.StackFrame, total int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return nil, 0, false
	}
	frames, ok = c.ahead.part(thread, start, levels)
	return frames, c.ahead.total, ok
}

func (c *frameCache) Put(epoch uint64, thread, first int, frames []dap.StackFrame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch || c.stack == nil {
		c.epoch, c.stack, c.ahead = epoch, map[int]map[int]dap.StackFrame{}, StackAhead{}
	}
	if c.stack[thread] == nil {
		c.stack[thread] = map[int]dap.StackFrame{}
	}
	for i, f := range frames {
		c.stack[thread][first+i] = f
	}
}

func (c *frameCache) Get(epoch uint64, thread, index int) (dap.StackFrame, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return dap.StackFrame{}, false
	}
	f, ok := c.stack[thread][index]
	return f, ok
}

// Top returns the frames of a thread that were read at a stop, from the top one on.
func (c *frameCache) Top(epoch uint64, thread int) []dap.StackFrame {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return nil
	}
	var frames []dap.StackFrame
	for f, ok := c.stack[thread][0]; ok; f, ok = c.stack[thread][len(frames)] {
		frames = append(frames, f)
	}
	return frames
}

// KeepOnly forgets the frames of all threads but one.
func (c *frameCache) KeepOnly(thread int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range c.stack {
		if id != thread {
			delete(c.stack, id)
		}
	}
}

// LevelsAhead is how many frames are read at a stop that will be shown: as many as stacktrace_get returns.
const LevelsAhead = 20

// NewStackAhead returns the innermost part of a stack that was read with levelsAhead levels.
func NewStackAhead(thread int, body dap.StackTraceResponseBody) StackAhead {
	n := len(body.StackFrames)
	return StackAhead{thread, body.StackFrames[:min(n, LevelsAhead)], body.TotalFrames, n < LevelsAhead}
}
