package direct

import (
	"context"
	"path"
	"strings"

	"breakwire/adapter"
	"breakwire/adapter/fault"
)

// mostVariables limits one answer of debug.getVariables, which has no paging.
const mostVariables = 10_000

// at runs f, which reads the current stop of a session. When the program has resumed meanwhile, the result is
// discarded.
func (d *Methods) at(sessionID string, f func(session *adapter.Session, stop uint64) (any, error)) (any, error) {
	session, err := d.server.Session(sessionID)
	if err != nil {
		return nil, err
	}
	snap := session.Snapshot()
	if snap.Stop == nil {
		return nil, fault.Errorf(fault.NotPaused, "the program is %s; debug.pause stops it", snap.State).
			With("state", snap.State)
	}
	result, err := f(session, snap.Stop.Seq)
	if err == nil && !current(session, frameRef{session: session.ID(), stop: snap.Stop.Seq}) {
		err = fault.Errorf(fault.NotPaused, "the program has gone on meanwhile")
	}
	return result, err
}

type stackParams struct {
	Session string `arg:"sessionId"`
	Thread  int    `arg:"threadId" min:"0"`
	Start   int    `arg:"startFrame" min:"0"`
	Levels  int    `arg:"levels" min:"0" max:"1000"`
}

type stackData struct {
	Frames []frameData `json:"frames"`
	Total  int         `json:"totalFrames"`
}

type frameData struct {
	ID     string      `json:"id"`
	Name   string      `json:"name"`
	Source *sourceData `json:"source,omitempty"`
	Line   int         `json:"line"`
	Column int         `json:"column"`
}

type sourceData struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

func (d *Methods) stackTrace(ctx context.Context, in stackParams) (any, error) {
	return d.at(in.Session, func(session *adapter.Session, stop uint64) (any, error) {
		if in.Thread == 0 {
			in.Thread = d.handles.chosen(session)
		}
		args := arguments{"session_id": session.ID(), "thread_id": in.Thread, "start_frame": in.Start, "fold": false,
			"full": true}
		r, err := call[stackResult](ctx, d, "stacktrace_get", given(args, "max_frames", in.Levels))
		if err != nil {
			return nil, err
		}
		data := stackData{Frames: make([]frameData, len(r.Frames)), Total: max(r.TotalFrames, in.Start+len(r.Frames))}
		if r.TotalFrames == 0 && r.NextStart > 0 {
			data.Total++ // there are more
		}
		for i, f := range r.Frames {
			shown := frameData{ID: d.handles.frame(frameRef{session.ID(), stop, r.ThreadID, f.Index}), Name: f.Function}
			if l := f.Location; l != nil {
				shown.Line, shown.Column = l.Line, l.Column
				shown.Source = &sourceData{Name: path.Base(strings.ReplaceAll(l.File, `\`, "/")), Path: l.File}
			}
			data.Frames[i] = shown
		}
		return data, nil
	})
}

type variablesParams struct {
	Session   string `arg:"sessionId"`
	Frame     string `arg:"frameId"`
	Reference string `arg:"variablesReference"`
	Filter    string `arg:"filter" default:"all" enum:"all,locals,arguments,this,globals"`
}

type variableData struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	Type      string `json:"type"`
	Reference string `json:"variablesReference,omitempty"`
}

func (d *Methods) variables(ctx context.Context, in variablesParams) (any, error) {
	return d.at(in.Session, func(session *adapter.Session, stop uint64) (any, error) {
		args := arguments{"session_id": session.ID(), "count": 1000}
		frame := frameRef{session.ID(), stop, d.handles.chosen(session), 0}
		switch {
		case in.Reference != "":
			v, err := d.handles.variableOf(session, in.Reference)
			if err != nil {
				return nil, err
			}
			frame, args["expand"] = v.frameRef, v.path
		case in.Frame != "":
			f, err := d.handles.frameOf(session, in.Frame)
			if err != nil {
				return nil, err
			}
			frame = f
			fallthrough
		default:
			args["scope"] = in.Filter
		}
		args["thread_id"], args["frame_index"] = frame.thread, frame.index
		list := []variableData{}
		for len(list) < mostVariables {
			r, err := call[variablesResult](ctx, d, "variables_get", args)
			if err != nil {
				return nil, err
			}
			for _, v := range r.Variables {
				shown := variableData{Name: v.Name, Value: v.Value, Type: v.Type}
				if v.HasChildren {
					shown.Reference = d.handles.variable(varRef{frame, v.Path})
				}
				list = append(list, shown)
			}
			if r.NextStart == 0 {
				break
			}
			args["start"] = r.NextStart
		}
		return list, nil
	})
}

type evaluateParams struct {
	Session    string `arg:"sessionId"`
	Expression string `arg:"expression,required"`
	Frame      string `arg:"frameId"`
	Context    string `arg:"context"`
}

type evaluateData struct {
	Result    string `json:"result"`
	Type      string `json:"type"`
	Reference string `json:"variablesReference,omitempty"`
}

func (d *Methods) evaluate(ctx context.Context, in evaluateParams) (any, error) {
	return d.at(in.Session, func(session *adapter.Session, stop uint64) (any, error) {
		frame := frameRef{session.ID(), stop, d.handles.chosen(session), 0}
		if in.Frame != "" {
			f, err := d.handles.frameOf(session, in.Frame)
			if err != nil {
				return nil, err
			}
			frame = f
		}
		r, err := call[variableResult](ctx, d, "evaluate", arguments{
			"session_id": session.ID(), "expression": in.Expression, "thread_id": frame.thread, "frame_index": frame.index,
			"safe": in.Context == "hover", // a hover must not change anything
		})
		if err != nil {
			return nil, err
		}
		data := evaluateData{Result: r.Value, Type: r.Type}
		if r.HasChildren && r.Path != "" {
			data.Reference = d.handles.variable(varRef{frame, r.Path})
		}
		return data, nil
	})
}

type threadData struct {
	ID     int    `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
}

func (d *Methods) threads(ctx context.Context, in sessionParams) (any, error) {
	r, err := call[threadsResult](ctx, d, "threads_list", given(arguments{"count": 2000}, "session_id", in.Session))
	if err != nil {
		return nil, err
	}
	list := make([]threadData, len(r.Threads))
	for i, t := range r.Threads {
		list[i] = threadData{t.ID, t.Name, t.State}
	}
	return list, nil
}

func (d *Methods) selectThread(ctx context.Context, in threadParams) (any, error) {
	return d.at(in.Session, func(session *adapter.Session, stop uint64) (any, error) {
		r, err := call[threadsResult](ctx, d, "threads_list", arguments{"session_id": session.ID(), "count": 2000})
		if err != nil {
			return nil, err
		}
		for _, t := range r.Threads {
			if t.ID == in.Thread {
				d.handles.choose(frameRef{session: session.ID(), stop: stop, thread: t.ID})
				return nil, nil
			}
		}
		return nil, fault.Errorf(fault.InvalidThread, "there is no thread %d; debug.getThreads lists them",
			in.Thread).With("threadId", in.Thread)
	})
}
