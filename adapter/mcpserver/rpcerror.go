package mcpserver

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"breakwire/adapter/fault"
)

// failure is the JSON-RPC error that a resource read or a prompt ends with. The library answers every handler error
// with -32603 and without data; the transport replaces that by this.
type failure struct {
	code int
	err  *fault.Error
}

// errorData is the data of such an error, with the same members as a failed tool's result.
type errorData struct {
	Code    fault.Code     `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// failRequest makes the request of ctx end with a JSON-RPC error. It returns the error that the handler has to
// return.
func failRequest(ctx context.Context, code int, e *fault.Error) error {
	if c := callFrom(ctx); c != nil {
		c.failure = &failure{code, e}
	}
	return e
}

// amend gives a request's error the code and the data that its handler meant.
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

// notThereCode returns the code for a resource that does not exist or is not allowed, by protocol generation.
func notThereCode(ctx context.Context) int {
	if mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) {
		return mcp.INVALID_PARAMS
	}
	return mcp.RESOURCE_NOT_FOUND
}
