package inspect

import (
	"bytes"
	"slices"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// async is the kind of a frame that is not on the thread's stack: what awaits it, or has created it.
const async = "async"

// callers returns the logical callers of a thread's whole stack: tasks that await the running one, innermost first, or
// the place that created a goroutine.
func (v *View) callers(thread int, frames []dap.StackFrame) []Frame {
	switch v.Profile.Language {
	case dapclient.Go:
		return v.goCreator(frames, thread)
	case dapclient.Python:
		coroutine := func(f dap.StackFrame) bool { return bytes.Contains(v.source(f), []byte("async def")) }
		if thread == v.Stop.Thread && slices.ContainsFunc(frames, coroutine) {
			return v.pythonCallers()
		}
	}
	return nil
}

// asyncFrame returns a frame that is not on a stack. task names what it belongs to.
func (v *View) asyncFrame(f dap.StackFrame, task string) Frame {
	shown := v.shownFrame(0, f)
	shown.Kind, shown.Task = async, task
	return shown
}

// markAsync marks the frames of JavaScript below a label: they await those above it.
func (v *View) markAsync(frames []dap.StackFrame, shown []Frame) {
	if v.Profile.Language != dapclient.JavaScript {
		return
	}
	label := slices.IndexFunc(frames, func(f dap.StackFrame) bool { return f.PresentationHint == "label" })
	for i := range shown {
		if label >= 0 && i >= label {
			shown[i].Kind = async
		}
	}
}
