package adapter

import (
	"context"

	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// Frame is one frame of a stack.
type Frame struct {
	Index      int       `json:"index"`
	Function   string    `json:"function"`
	Module     string    `json:"module,omitempty"`
	IsExternal bool      `json:"isExternal"`
	Location   *Location `json:"location,omitempty"`
}

// StackTrace is a part of a thread's stack. Total is 0 when the backend does not tell.
type StackTrace struct {
	ThreadID int
	Frames   []Frame
	Total    int
}

// StackTrace reads frames of a thread; thread 0 is the stopped one.
func (s *Session) StackTrace(ctx context.Context, thread, start, most int) (StackTrace, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return StackTrace{}, err
	}
	defer end()
	thread = v.thread(thread)
	frames, total, err := v.stack(thread, start, most)
	if err != nil {
		return StackTrace{}, err
	}
	st := StackTrace{ThreadID: thread, Frames: make([]Frame, len(frames)), Total: total}
	for i, f := range frames {
		st.Frames[i] = s.shownFrame(start+i, f)
	}
	if len(frames) < most && total < start+len(frames) {
		st.Total = start + len(frames)
	}
	return st, nil
}

func (s *Session) shownFrame(index int, f dap.StackFrame) Frame {
	shown := Frame{Index: index, Function: mapping.LogicalFunction(f.Name), Module: s.moduleName(f.ModuleId)}
	if f.Source != nil && f.Source.Path != "" && f.Line > 0 {
		shown.Location = s.locationOf(&f)
		shown.Location.FunctionName = ""
	}
	shown.IsExternal = shown.Location == nil || f.PresentationHint == "subtle" || f.PresentationHint == "label"
	return shown
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

// ListThreads returns the threads: asked when the program is paused, else the last known ones.
func (s *Session) ListThreads(ctx context.Context) (threads []Thread, stale bool, err error) {
	snap := s.Snapshot()
	if snap.State == Paused {
		v, end, err := s.view(ctx)
		if err == nil {
			defer end()
			if m, err := v.call(callTimeout, "threads", nil); err == nil {
				_, err = onLoop(ctx, s, func(done func(struct{}, error)) {
					if s.epoch == v.epoch && s.state == Paused {
						s.threadsOf(reply{m: m})
						s.publish()
					}
					done(struct{}{}, nil)
				})
				if err == nil {
					v.locate(s.Snapshot().Threads)
				}
			}
		}
		snap = s.Snapshot()
	}
	if !snap.State.Live() {
		return nil, false, s.over()
	}
	return snap.Threads, snap.ThreadsStale, nil
}

// locate adds where the threads stand, for a number of them that costs little.
func (v *view) locate(threads []Thread) {
	const most = 50
	found := map[int]*Location{}
	for i, t := range threads {
		if i >= most || t.Location != nil {
			continue
		}
		m, err := v.call(callTimeout, "stackTrace", dapclient.StackTraceArguments{ThreadID: t.ID, Levels: 10})
		if err != nil {
			continue
		}
		body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](m)
		if err != nil {
			continue
		}
		v.s.frames.put(v.epoch, t.ID, 0, body.StackFrames)
		for _, f := range body.StackFrames {
			if l := v.s.locationOf(&f); l.File != "" && l.Line > 0 && isLocalFile(l.File) {
				found[t.ID] = l
				break
			}
		}
		if found[t.ID] == nil && len(body.StackFrames) > 0 {
			f := body.StackFrames[0]
			found[t.ID] = v.s.locationOf(&f)
		}
	}
	v.s.post(func() {
		if v.s.epoch != v.epoch || v.s.state != Paused {
			return
		}
		list := clone(v.s.threads)
		for i := range list {
			if l := found[list[i].ID]; l != nil && list[i].Location == nil {
				list[i].Location = l
			}
		}
		v.s.threads = list
		v.s.publish()
	})
	for i := range threads {
		if l := found[threads[i].ID]; l != nil && threads[i].Location == nil {
			threads[i].Location = l
		}
	}
}
