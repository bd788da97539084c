package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"breakwire/adapter"
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/jsonrpc"
	"breakwire/adapter/mcpserver/toolargs"
)

// preset is a breakpoint that a start has set, in short.
type preset struct {
	ID        string `json:"id"`
	State     string `json:"state"`
	BoundLine int    `json:"boundLine,omitempty"` // when it is another line
}

// presetBreakpoints sets the breakpoints of a start, all or none. undo takes them back when nothing was started.
func (s *Server) presetBreakpoints(ctx context.Context, list []json.RawMessage) (ids []string, undo func(), err error) {
	specs := make([]breakpoint.Spec, len(list))
	for i, entry := range list {
		if specs[i], err = s.presetSpec(entry); err != nil {
			return nil, nil, wrongPreset(i, err)
		}
	}
	if ids, undo, err = s.manager.SetBreakpoints(ctx, specs); err != nil {
		return nil, nil, wrongPreset(len(ids), err)
	}
	return ids, undo, nil
}

// wrongPreset names the entry that an error is about.
func wrongPreset(entry int, err error) error {
	var of *fault.Error
	if !errors.As(err, &of) {
		return err
	}
	named := *of
	named.Message = fmt.Sprintf("breakpoints[%d]: %s; nothing was started, and no breakpoint was set", entry, of.Message)
	named.Details = maps.Clone(of.Details)
	return named.With("parameter", "breakpoints").With("entry", entry)
}

// ofTracepoints are the parameters that only tracepoint_set has.
var ofTracepoints = []string{
	"log_message", "logMessage", "message", "hit_count_multiple", "hitCountMultiple", "max_notifications",
	"maxNotifications", "strategy",
}

// presetSpec reads one entry: the arguments of the tool that sets such a breakpoint, or FILE:LINE.
func (s *Server) presetSpec(entry json.RawMessage) (breakpoint.Spec, error) {
	var place string
	if json.Unmarshal(entry, &place) == nil {
		at := strings.LastIndexByte(place, ':')
		line, err := strconv.Atoi(place[at+1:])
		if at < 1 || err != nil {
			return breakpoint.Spec{}, fault.Errorf(fault.InvalidParameter, "%q is not FILE:LINE", toolargs.Clip(place))
		}
		if entry, err = jsonrpc.Marshal(map[string]any{"file": place[:at], "line": line}); err != nil {
			return breakpoint.Spec{}, err
		}
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(entry, &given); err != nil {
		return breakpoint.Spec{}, fault.Errorf(fault.InvalidParameter, "it is not valid JSON: %w", err)
	}
	has := func(name string) bool { return given[name] != nil }
	switch {
	case has("session_id"):
		return breakpoint.Spec{}, fault.Errorf(fault.InvalidParameter,
			"session_id: the session is about to begin; leave it out")
	case slices.ContainsFunc(ofTracepoints, has):
		return specOf(entry, s.tracepointSpec)
	case has("function"):
		return specOf(entry, s.functionSpec)
	case has("exception_type"):
		return specOf(entry, s.exceptionSpec)
	}
	return specOf(entry, s.lineSpec)
}

// specOf binds the arguments of a tool and makes its spec.
func specOf[In any](raw json.RawMessage, make func(In) (breakpoint.Spec, error)) (breakpoint.Spec, error) {
	var in In
	if err := toolargs.Bind(raw, &in); err != nil {
		return breakpoint.Spec{}, err
	}
	return make(in)
}

// presetsOf returns the state of breakpoints in a session, in their order.
func (s *Server) presetsOf(session *adapter.Session, ids []string) []preset {
	var list []preset
	all := s.manager.Breakpoints(session.ID())
	for _, id := range ids {
		i := slices.IndexFunc(all, func(b breakpoint.Info) bool { return b.ID == id })
		if i < 0 {
			continue // somebody has removed it
		}
		p := preset{ID: id, State: all[i].State}
		if b := all[i]; cmp.Or(b.BoundLine, b.Line) != b.Line {
			p.BoundLine = b.BoundLine
		}
		list = append(list, p)
	}
	return list
}
