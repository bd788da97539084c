package inspect

import (
	"slices"
	"time"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// Wait is what a blocked thread waits for.
type Wait struct {
	For    string `json:"waitsFor,omitempty"` // in words
	On     string `json:"waitsOn,omitempty"`  // the object: equal texts are one object
	HeldBy []int  `json:"heldBy,omitempty"`   // the threads that can end the wait
	Likely bool   `json:"likely,omitempty"`   // heldBy is read from sources or variables: the runtime stores no owner
}

// Task is a task of the runtime that is suspended.
type Task struct {
	Name     string    `json:"name"`
	WaitsFor string    `json:"waitsFor,omitempty"`
	Location *Location `json:"location,omitempty"` // the innermost place of the program's own
}

const (
	// waitThreads bounds the threads that are looked at, waitFrames the frames of each.
	waitThreads = 64
	waitFrames  = 10
	// waitsTime bounds the questions for waits at one stop.
	waitsTime = 2 * time.Second
)

// waitsRead is one look at what threads wait for.
type waitsRead struct {
	*View
	threads []int
	until   time.Time
	found   map[int]Wait
}

// Waits returns what threads wait for, as far as more is known than their stacks say, and the suspended tasks. The
// frames of the threads were read before. names has the threads that one name alone belongs to; 0 is no thread.
func (v *View) Waits(threads []int, names map[string]int) (waits map[int]Wait, tasks []Task, omitted int) {
	w := waitsRead{v, threads[:min(len(threads), waitThreads)], time.Now().Add(waitsTime), map[int]Wait{}}
	switch v.Profile.Language {
	case dapclient.Go:
		w.inGo()
	case dapclient.C:
		w.native()
	case dapclient.DotNet:
		w.inDotnet()
	case dapclient.Python:
		tasks, omitted = w.inPython(names)
	}
	return w.found, tasks, omitted
}

// late reports whether there is no time left for questions.
func (w *waitsRead) late() bool { return time.Now().After(w.until) || w.Ctx.Err() != nil }

// waiting returns the frames of a blocked thread above the program's own code; nil for a thread in its own code.
func (w *waitsRead) waiting(thread int) []dap.StackFrame {
	frames := w.Cache.Frames.Top(w.Epoch, thread)
	own := slices.IndexFunc(frames, IsUserFrame)
	if own < 0 {
		own = len(frames)
	}
	return frames[:own]
}

// own returns the innermost frames of a thread that are of the program's own code.
func (w *waitsRead) own(thread int) []dap.StackFrame {
	var own []dap.StackFrame
	for _, f := range w.Cache.Frames.Top(w.Epoch, thread) {
		if IsUserFrame(f) && len(own) < waitFrames {
			own = append(own, f)
		}
	}
	return own
}

// source returns the text of a frame's file.
func (v *View) source(f dap.StackFrame) []byte {
	if at := v.Debugger.Location(&f); at != nil && at.File != "" {
		if text, err := v.Debugger.Source(at.File); err == nil {
			return text
		}
	}
	return nil
}

// held records a thread that likely holds an object, for all that wait for it. With once it can be the one that waits:
// it would have to lock the object a second time.
func (w *waitsRead) held(on string, thread int, once bool) {
	for id, wait := range w.found {
		if wait.On == on && (once || id != thread) && !slices.Contains(wait.HeldBy, thread) {
			wait.HeldBy, wait.Likely = append(wait.HeldBy, thread), true
			slices.Sort(wait.HeldBy)
			w.found[id] = wait
		}
	}
}

// Deadlocked returns the threads of which none can go on: each waits for threads that are all in the list.
func Deadlocked(waits map[int]Wait) []int {
	stuck := map[int]bool{}
	for id, w := range waits {
		stuck[id] = len(w.HeldBy) > 0
	}
	for again := true; again; {
		again = false
		for id, is := range stuck {
			if is && slices.ContainsFunc(waits[id].HeldBy, func(holder int) bool { return !stuck[holder] }) {
				stuck[id], again = false, true
			}
		}
	}
	var list []int
	for id, is := range stuck {
		if is {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list
}

// heldFor records a likely holder of what one thread waits for.
func (w *waitsRead) heldFor(id, holder int) {
	wait := w.found[id]
	if id != holder && !slices.Contains(wait.HeldBy, holder) {
		wait.HeldBy, wait.Likely = append(wait.HeldBy, holder), true
		slices.Sort(wait.HeldBy)
		w.found[id] = wait
	}
}
