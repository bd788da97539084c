package inspect

import (
	"fmt"
	"slices"

	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// Frame is one frame of a stack.
type Frame struct {
	Index      int        `json:"index"`
	Function   string     `json:"function"`
	Module     string     `json:"module,omitempty"`
	IsExternal bool       `json:"isExternal"`
	Location   *Location  `json:"location,omitempty"`
	Kind       string     `json:"kind,omitempty"`     // async: not on the stack of the thread
	Task       string     `json:"task,omitempty"`     // the task or goroutine of an async frame
	Folded     int        `json:"folded,omitempty"`   // number of external frames after this one that are left out
	Repeated   int        `json:"repeated,omitempty"` // how often the recursion comes back to this frame further down
	Source     []string   `json:"source,omitempty"`
	Variables  []Variable `json:"variables,omitempty"`
}

// StackQuery selects frames.
type StackQuery struct {
	Thread, Start, Max int
	Fold               bool // show runs of external frames, and the repeated frames of a recursion, once
	Full               bool // whole names
}

// StackTrace is a part of a thread's stack. Total is 0 when it is not known. Next is the start of the next
// part, 0 at the end.
type StackTrace struct {
	ThreadID int
	Frames   []Frame
	Total    int
	Next     int
}

// Trace reads frames of a thread. Where a recursion makes the part short, it reads on.
func (v *View) Trace(q StackQuery) (StackTrace, error) {
	thread := v.thread(q.Thread)
	frames, total, err := v.stack(thread, q.Start, q.Max)
	if err != nil {
		return StackTrace{}, err
	}
	asked := q.Max
	shown := v.shownFrames(frames, q)
	for len(frames) == asked && total != q.Start+asked && q.Fold && recurs(shown) && len(shown) < q.Max &&
		asked < maxRecursion {
		more, all, err := v.stack(thread, q.Start+asked, recursionStep)
		if err != nil {
			break
		}
		asked += recursionStep
		frames, total = append(slices.Clip(frames), more...), all
		shown = v.shownFrames(frames, q)
	}
	st := StackTrace{ThreadID: thread, Frames: shown}
	end := q.Start + len(frames)
	switch {
	case len(frames) > 0 && len(frames) < asked || total == end:
		st.Total = end
	case !v.Profile.GuessesFrameTotal:
		st.Total = total
	}
	if len(frames) == asked && st.Total != end {
		st.Next = end
	}
	if len(shown) > q.Max {
		st.Frames, st.Next = shown[:q.Max], shown[q.Max].Index
	}
	if st.Next == 0 {
		callers := v.callers(thread, frames)
		for i := range callers {
			callers[i].Index = end + i
		}
		st.Frames = append(st.Frames, folded(callers, q)...)
	}
	return st, nil
}

func (v *View) shownFrames(frames []dap.StackFrame, q StackQuery) []Frame {
	shown := make([]Frame, len(frames))
	for i, f := range frames {
		shown[i] = v.shownFrame(q.Start+i, f)
		if q.Full {
			shown[i].Function = mapping.LogicalFunction(f.Name)
		}
	}
	v.markAsync(frames, shown)
	return folded(shown, q)
}

func folded(frames []Frame, q StackQuery) []Frame {
	if q.Fold {
		return recurring(Fold(frames))
	}
	return frames
}

// Fold keeps the first frame of each run of external frames, and counts the others.
func Fold(frames []Frame) []Frame {
	out := make([]Frame, 0, len(frames))
	for i, f := range frames {
		if f.IsExternal && i > 0 && frames[i-1].IsExternal {
			out[len(out)-1].Folded++
			continue
		}
		out = append(out, f)
	}
	return out
}

func (v *View) shownFrame(index int, f dap.StackFrame) Frame {
	shown := Frame{Index: index, Function: mapping.ShownFunction(f.Name), Module: v.moduleName(f.ModuleId)}
	if f.Source != nil && f.Source.Path != "" && f.Line > 0 {
		shown.Location = v.Debugger.Location(&f)
		shown.Location.FunctionName = ""
	}
	shown.IsExternal = !IsUserFrame(f)
	return shown
}

// IsUserFrame reports whether a frame is the program's own code.
func IsUserFrame(f dap.StackFrame) bool {
	named := f.Source != nil && f.Line > 0 && (mapping.IsAbs(f.Source.Path) || mapping.IsTrimmedGo(f.Source.Path))
	if !named || f.PresentationHint == "subtle" || f.PresentationHint == "label" ||
		f.Source.PresentationHint == "deemphasize" {
		return false
	}
	return mapping.IsUserCode(f.Name, f.Source.Path)
}

// ownFrameNote names the innermost frame of the program's own, when the requested frame is in library code; else "".
func (v *View) ownFrameNote(thread, index int) string {
	frames, _, err := v.stack(v.thread(thread), index, LocateDepth)
	if err != nil || len(frames) == 0 || IsUserFrame(frames[0]) {
		return ""
	}
	for i, f := range frames {
		if IsUserFrame(f) {
			return fmt.Sprintf("frame %d is library code; the program's own is frame_index %d", index, index+i)
		}
	}
	return ""
}

// moduleName returns the name of a module id, where modules are known.
func (v *View) moduleName(id any) string {
	if id == nil {
		return ""
	}
	name, _ := v.Debugger.Module(mapping.Text(id))
	return name
}

// waitReason is why a goroutine waits, as Delve's variable for the goroutine of a frame has it.
const waitReason = "runtime.curg.waitreason"

// WaitsFor returns what a thread with this stack waits for: Go's own word, elsewhere the library's function that the
// program has called. It returns "" for a thread in the program's own code.
func (v *View) WaitsFor(frames []dap.StackFrame) string {
	if len(frames) == 0 || IsUserFrame(frames[0]) {
		return ""
	}
	if v.Profile.Language != dapclient.Go {
		own := slices.IndexFunc(frames, IsUserFrame)
		return mapping.ShownFunction(mapping.PublicName(frames[max(own-1, 0)].Name))
	}
	body, err := v.evaluate(frames[0], waitReason, evaluateTimeout)
	if err != nil {
		return ""
	}
	return mapping.GoWaitReason(body.Result)
}
