package mcpserver

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"breakwire/adapter"
)

// failure is the JSON-RPC error that a read or a prompt ends with. The library turns every error of a handler into
// -32603 without data; the transport puts this in its place.
type failure struct {
	code int
	err  *adapter.Error
}

// errorData is the data of such an error: what a failed tool has in its result.
type errorData struct {
	Code    adapter.Code   `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// failRequest ends the request of ctx with a JSON-RPC error, and returns what its handler has to return.
func failRequest(ctx context.Context, code int, e *adapter.Error) error {
	if c := callFrom(ctx); c != nil {
		c.failure = &failure{code, e}
	}
	return e
}

// amend gives the error of a request the code and the data that its handler meant.
func amend(ctx context.Context, msg mcp.JSONRPCMessage) mcp.JSONRPCMessage {
	c := callFrom(ctx)
	failed, ok := msg.(mcp.JSONRPCError)
	if c == nil || c.failure == nil || !ok {
		return msg
	}
	e := c.failure.err
	details := e.Details
	if details == nil {
		details = map[string]any{}
	}
	failed.Error = mcp.JSONRPCErrorDetails{
		Code: c.failure.code, Message: e.Message, Data: errorData{e.Code, e.Message, details},
	}
	return failed
}

// notThereCode is what a protocol generation answers with when a resource is not there or not allowed.
func notThereCode(ctx context.Context) int {
	if mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) {
		return mcp.INVALID_PARAMS
	}
	return mcp.RESOURCE_NOT_FOUND
}
