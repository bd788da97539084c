package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-dap"
)

// StackGroup is a number of threads with the same stack. A frame is one line of text.
type StackGroup struct {
	Count    int      `json:"count"`
	IDs      []int    `json:"ids"` // the first ones
	WaitsFor string   `json:"waitsFor,omitempty"`
	Frames   []string `json:"frames"`

	top []dap.StackFrame
}

// idsOfStack is how many threads of a group are named.
const idsOfStack = 3

// AllStacks returns the stacks of threads, equal ones once: the current thread's first, then the most frequent. Frames
// that are in the cache are not asked for again.
func (v *View) AllStacks(threads []int, current int, q StackQuery) []StackGroup {
	var groups []StackGroup
	at := map[string]int{}
	for _, id := range threads {
		frames := v.Cache.Frames.Top(v.Epoch, id)
		if len(frames) < min(q.Max, LocateDepth) {
			if read, _, err := v.stack(id, 0, LocateDepth); err == nil {
				frames = read
			}
		}
		var key strings.Builder
		for _, f := range frames {
			fmt.Fprintln(&key, f.Name, f.Line)
		}
		i, known := at[key.String()]
		if !known {
			i = len(groups)
			at[key.String()] = i
			lines := frameLines(v.shownFrames(frames, StackQuery{Fold: q.Fold, Full: q.Full}), q.Max)
			groups = append(groups, StackGroup{Frames: lines, top: frames})
		}
		g := &groups[i]
		if g.Count++; len(g.IDs) < idsOfStack {
			g.IDs = append(g.IDs, id)
		}
	}
	slices.SortStableFunc(groups, func(a, b StackGroup) int {
		if first := slices.Contains(a.IDs, current); first != slices.Contains(b.IDs, current) {
			if first {
				return -1
			}
			return 1
		}
		return b.Count - a.Count
	})
	return groups
}

// WaitOf returns what the threads of a group wait for.
func (v *View) WaitOf(g StackGroup) string { return v.WaitsFor(g.top) }

// frameLines returns frames as text: function, file and line, how many frames of a library are left out, and how often
// a recursion repeats them.
func frameLines(frames []Frame, most int) []string {
	lines := make([]string, 0, min(len(frames), most))
	for i, f := range frames {
		if i == most {
			return append(lines, "...")
		}
		line := f.Function
		if f.Location != nil && !f.IsExternal {
			line += fmt.Sprintf(" %s:%d", f.Location.File, f.Location.Line)
		}
		if f.Folded > 0 {
			line += fmt.Sprintf(" (+%d)", f.Folded)
		}
		if f.Repeated > 0 {
			line += fmt.Sprintf(" (%d times)", f.Repeated+1)
		}
		lines = append(lines, line)
	}
	return lines
}
