package adapter

import (
	"context"
	"fmt"

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
	Folded     int        `json:"folded,omitempty"` // how many frames behind this one are left out, all external
	Source     []string   `json:"source,omitempty"`
	Variables  []Variable `json:"variables,omitempty"`
}

// StackQuery says which frames are wanted.
type StackQuery struct {
	Thread, Start, Max int
	Fold               bool // runs of external frames as one
}

// StackTrace is a part of a thread's stack. Total is 0 when the backend does not tell. Next is where it goes on, 0 at
// its end.
type StackTrace struct {
	ThreadID int
	Frames   []Frame
	Total    int
	Next     int
}

// StackTrace reads frames of a thread; thread 0 is the stopped one.
func (s *Session) StackTrace(ctx context.Context, q StackQuery) (StackTrace, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return StackTrace{}, err
	}
	defer end()
	return v.trace(q)
}

func (v *view) trace(q StackQuery) (StackTrace, error) {
	thread := v.thread(q.Thread)
	frames, total, err := v.stack(thread, q.Start, q.Max)
	if err != nil {
		return StackTrace{}, err
	}
	st := StackTrace{ThreadID: thread, Total: total}
	shown := make([]Frame, len(frames))
	for i, f := range frames {
		shown[i] = v.s.shownFrame(q.Start+i, f)
	}
	end := q.Start + len(frames)
	if len(frames) < q.Max {
		if len(frames) > 0 {
			st.Total = max(total, end)
		}
	} else if st.Total == 0 || end < st.Total {
		st.Next = end
	}
	if q.Fold {
		shown = fold(shown)
	}
	st.Frames = shown
	return st, nil
}

// fold leaves the first of each run of external frames, and says how many follow it.
func fold(frames []Frame) []Frame {
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

func (s *Session) shownFrame(index int, f dap.StackFrame) Frame {
	shown := Frame{Index: index, Function: mapping.LogicalFunction(f.Name), Module: s.moduleName(f.ModuleId)}
	if f.Source != nil && f.Source.Path != "" && f.Line > 0 {
		shown.Location = s.locationOf(&f)
		shown.Location.FunctionName = ""
	}
	shown.IsExternal = !isUserFrame(f)
	return shown
}

// isUserFrame tells whether a frame is the program's own code.
func isUserFrame(f dap.StackFrame) bool {
	if !hasSource(&f) || f.PresentationHint == "subtle" || f.PresentationHint == "label" ||
		f.Source.PresentationHint == "deemphasize" {
		return false
	}
	return mapping.IsUserCode(f.Name, f.Source.Path)
}

// ownFrameNote says, of a frame in library code, which one is the innermost of the program's own; "" when that one is
// meant, or none is near.
func (v *view) ownFrameNote(thread, index int) string {
	frames, _, err := v.stack(v.thread(thread), index, locateDepth)
	if err != nil || len(frames) == 0 || isUserFrame(frames[0]) {
		return ""
	}
	for i, f := range frames {
		if isUserFrame(f) {
			return fmt.Sprintf("frame %d is library code; the program's own is frame_index %d", index, index+i)
		}
	}
	return ""
}

// moduleName is the name of a module id, where modules are known.
func (s *Session) moduleName(id any) string {
	if id == nil {
		return ""
	}
	text := mapping.Text(id)
	for _, m := range s.Snapshot().Modules {
		if m.ID == text {
			return m.Name
		}
	}
	return ""
}
