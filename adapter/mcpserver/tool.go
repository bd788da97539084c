package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/jsonrpc"
	"breakwire/adapter/mcpserver/toolargs"
)

// Tool is what a client sees of a tool, except the parameters, which come from the handler's type.
type Tool struct {
	Name, Title, Description          string
	ReadOnly, Destructive, Idempotent bool
	Output                            outputSchema // "" takes the one of this name in schemas.go, see addOutputs
}

// addTool registers a tool. Its arguments are checked and bound to an In (args.go). The handler's result is encoded
// once and used as the structured content and as the text. A result must encode to a JSON object without "success";
// nil is an empty object. Every error, also a panic, becomes a result with isError (MCP, Tools, Error Handling): a
// JSON-RPC error would not reach the model.
func addTool[In any](s *server.MCPServer, t Tool, h func(ctx context.Context, in In) (any, error)) {
	ps := toolargs.Of(reflect.TypeFor[In]())
	// A tool made by NewTool with WithRawInputSchema cannot be marshalled (measured, facts/mcp-go.md).
	tool := mcp.NewToolWithRawSchema(t.Name, t.Description, toolargs.Schema(reflect.TypeFor[In]()))
	if t.Output != "" {
		tool.RawOutputSchema = t.Output.json()
	}
	tool.Title = t.Title
	notOpenWorld := false
	tool.Annotations = mcp.ToolAnnotation{
		Title:           t.Title,
		ReadOnlyHint:    &t.ReadOnly,
		DestructiveHint: &t.Destructive,
		IdempotentHint:  &t.Idempotent,
		OpenWorldHint:   &notOpenWorld,
	}
	s.AddTool(tool, func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx = withRequest(ctx, s, &req)
		c := callFrom(ctx)
		ctx, release := c.withClosing(ctx)
		defer release()
		raw, failed := callTool(ctx, t.Name, func() (any, error) {
			var in In
			if err := ps.Bind(argumentsOf(&req), reflect.ValueOf(&in).Elem()); err != nil {
				return nil, err
			}
			return h(ctx, in)
		})
		c.finish(raw)
		text, structured := "", raw
		if textOnly(ctx) {
			structured = nil
		}
		if structured == nil || c.hold.account == nil || c.closing != nil {
			text = string(raw) // the library encodes it; on stdio see toolLine
		}
		return &mcp.CallToolResult{
			Content:              []mcp.Content{mcp.TextContent{Type: "text", Text: text}},
			RawStructuredContent: structured,
			IsError:              failed,
		}, nil
	})
}

// addOutputs adds the output schemas when tools are listed, for clients that get structured content.
func addOutputs(hooks *server.Hooks) {
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		if textOnly(ctx) {
			return
		}
		for i := range result.Tools {
			if t := &result.Tools[i]; t.RawOutputSchema == nil {
				t.RawOutputSchema = outputs()[t.Name].json()
			}
		}
	})
}

// argumentsOf returns the arguments as they were sent; in-process callers may have set only the decoded form.
func argumentsOf(req *mcp.CallToolRequest) json.RawMessage {
	if len(req.Params.RawArguments) > 0 || req.Params.Arguments == nil {
		return req.Params.RawArguments
	}
	raw, err := jsonrpc.Marshal(req.Params.Arguments)
	if err != nil {
		return json.RawMessage(`"` + err.Error() + `"`) // not an object: bind reports the error
	}
	return raw
}

// callTool runs a handler and encodes its result or error.
func callTool(ctx context.Context, name string, run func() (any, error)) (raw json.RawMessage, failed bool) {
	c := callFrom(ctx)
	var result any
	err := c.admit(ctx, name)
	if err == nil {
		result, err = runTool(name, run)
	}
	if err == nil {
		err = c.build(ctx)
	}
	if err == nil {
		if raw, err = successJSON(result); err != nil {
			slog.ErrorContext(ctx, "encode tool result", "tool", name, "error", err)
		} else if size := wireBytes(raw); size > answerBytes-keptBytes {
			err = tooLarge(name, size)
		} else {
			return raw, false
		}
	}
	if cause, ok := context.Cause(ctx).(*fault.Error); ok && errors.Is(err, context.Canceled) {
		err = cause // the cause says why the call was cancelled
	}
	return failureJSON(fault.AsError(err)), true
}

func runTool(name string, run func() (any, error)) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			slog.Error("panic in tool", "tool", name, "panic", r, "stack", string(debug.Stack()))
			err = fault.Errorf(fault.Internal, "%s failed inside breakwire: %v; this is a bug, the log has the "+
				"details", name, r)
		}
	}()
	return run()
}

var encodeBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// successJSON encodes a result with "success":true in front.
func successJSON(result any) (json.RawMessage, error) {
	const head = `{"success":true`
	if result == nil {
		return json.RawMessage(head + "}"), nil
	}
	buf := encodeBuffers.Get().(*bytes.Buffer)
	defer encodeBuffers.Put(buf)
	buf.Reset()
	buf.WriteString(head)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result); err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	all := bytes.TrimRight(buf.Bytes(), "\n")
	body := all[len(head):]
	switch {
	case string(body) == "null" || string(body) == "{}":
		return json.RawMessage(head + "}"), nil
	case body[0] != '{':
		return nil, fmt.Errorf("encode the result: %T is not an object", result)
	}
	body[0] = ',' // the result's opening brace becomes the comma after "success":true
	return bytes.Clone(all), nil
}

// echoes are the details that repeat a part of the message, when it names them.
var echoes = []string{"backendMessage", "expression", "name"}

// failureJSON encodes an error. It omits details that cannot be encoded, and texts that the message has already.
func failureJSON(e *fault.Error) json.RawMessage {
	dst := make([]byte, 0, 128+len(e.Message))
	dst = append(dst, `{"success":false,"error":{"code":`...)
	dst = jsonrpc.AppendString(dst, string(e.Code))
	dst = append(dst, `,"message":`...)
	dst = jsonrpc.AppendString(dst, e.Message)
	once := maps.Clone(e.Details)
	maps.DeleteFunc(once, func(key string, value any) bool {
		text, is := value.(string)
		return is && slices.Contains(echoes, key) && e.Code != fault.BackendBusy && // its expression is of another call
			strings.Contains(e.Message, strings.TrimSpace(strings.TrimPrefix(text, "error: ")))
	})
	if details, err := jsonrpc.Marshal(once); err == nil && len(once) > 0 {
		dst = append(append(dst, `,"details":`...), details...)
	}
	return append(dst, "}}"...)
}
