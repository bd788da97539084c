package mcpserver

import (
	"context"
	"encoding/json"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/jsonrpc"
	"breakwire/adapter/mcpserver/toolargs"
)

// directTools is the server as the methods of the older protocol see it (direct.Server).
type directTools struct{ *Server }

func (d directTools) Version() string { return d.opts.Version }

func (d directTools) Live() []*adapter.Session { return d.manager.Live() }

func (d directTools) Session(id string) (*adapter.Session, error) { return d.manager.Session(id) }

func (d directTools) Answer(ctx context.Context) error { return callFrom(ctx).build(ctx) }

func (d directTools) TooLarge(method string, bytes int) *fault.Error {
	if bytes <= answerBytes-keptBytes {
		return nil
	}
	return tooLarge(method, bytes)
}

func (d directTools) Run(method string, run func() (any, error)) (any, error) {
	return runTool(method, run)
}

func (d directTools) Call(ctx context.Context, tool string, args map[string]any, result any) error {
	raw, err := jsonrpc.Marshal(args)
	if err != nil {
		return err
	}
	given, err := d.handler(tool)(ctx, raw)
	if err != nil {
		return err
	}
	if raw, err = jsonrpc.Marshal(given); err != nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

// handler returns the handler of a tool that the methods call.
func (s *Server) handler(tool string) func(context.Context, json.RawMessage) (any, error) {
	switch tool {
	case "debug_attach":
		return bound(s.attach)
	case "debug_launch":
		return bound(s.launch)
	case "debug_continue":
		return bound(s.resume)
	case "debug_pause":
		return bound(s.pause)
	case "debug_step":
		return bound(s.step)
	case "debug_state":
		return bound(s.state)
	case "debug_disconnect":
		return bound(s.disconnect)
	case "breakpoint_set":
		return bound(s.breakpointSet)
	case "breakpoint_remove":
		return bound(s.breakpointRemove)
	case "breakpoint_list":
		return bound(s.breakpointList)
	case "stacktrace_get":
		return bound(s.stack)
	case "variables_get":
		return bound(s.variables)
	case "evaluate":
		return bound(s.evaluate)
	case "threads_list":
		return bound(s.threads)
	}
	return func(context.Context, json.RawMessage) (any, error) {
		return nil, fault.Errorf(fault.Internal, "no method calls the tool %s", tool)
	}
}

// bound binds the arguments of a call before its handler runs.
func bound[In any](h func(context.Context, In) (any, error)) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var in In
		if err := toolargs.Bind(raw, &in); err != nil {
			return nil, err
		}
		return h(ctx, in)
	}
}
