package mcpserver

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"breakwire/adapter/mcpserver/jsonrpc"
)

// responseLine encodes the library's answer to the request with this id. It cannot fail: a result that cannot be
// encoded becomes an error response, because a missing answer would hang the client.
func responseLine(id json.RawMessage, msg mcp.JSONRPCMessage) []byte {
	var member string
	var value any
	switch m := msg.(type) {
	case mcp.JSONRPCResponse:
		if r, ok := m.Result.(*mcp.CallToolResult); ok && isPlain(r) {
			return toolLine(id, r)
		}
		member, value = `,"result":`, m.Result
	case mcp.JSONRPCError:
		member, value = `,"error":`, m.Error
	default:
		return (&jsonrpc.Error{ID: id, Code: mcp.INVALID_REQUEST, Message: "not a request that can be answered"}).Line()
	}
	body, err := jsonrpc.Marshal(value)
	if err != nil {
		return (&jsonrpc.Error{ID: id, Code: mcp.INTERNAL_ERROR, Message: "encode the answer: " + err.Error()}).Line()
	}
	dst := append(make([]byte, 0, len(body)+len(id)+48), `{"jsonrpc":"2.0","id":`...)
	dst = jsonrpc.AppendID(dst, id)
	dst = append(dst, member...)
	dst = append(dst, body...)
	return append(dst, "}\n"...)
}

// isPlain reports whether a result has the form that addTool makes.
func isPlain(r *mcp.CallToolResult) bool {
	if len(r.RawStructuredContent) == 0 || len(r.Content) != 1 || len(r.InputRequests) > 0 || r.RequestState != "" {
		return false
	}
	t, ok := r.Content[0].(mcp.TextContent)
	return ok && t.Meta == nil && t.Annotations == nil
}

// toolLine encodes a tool's result. An empty text stands for the structured content. The library's own encoder would
// build a map and escape <, > and &.
func toolLine(id json.RawMessage, r *mcp.CallToolResult) []byte {
	t := r.Content[0].(mcp.TextContent)
	raw := r.RawStructuredContent
	dst := make([]byte, 0, len(raw)+max(jsonrpc.EscapedLen(raw), len(t.Text)*5/4)+len(id)+192)
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = jsonrpc.AppendID(dst, id)
	dst = append(dst, `,"result":{"content":[{"type":"text","text":`...)
	if t.Text == "" {
		dst = jsonrpc.AppendEscaped(dst, raw)
	} else {
		dst = jsonrpc.AppendString(dst, t.Text)
	}
	dst = append(dst, `}],"structuredContent":`...)
	dst = append(dst, raw...)
	if r.IsError {
		dst = append(dst, `,"isError":true`...)
	}
	if r.ResultType != "" {
		dst = append(dst, `,"resultType":`...)
		dst = jsonrpc.AppendString(dst, string(r.ResultType))
	}
	if r.Meta != nil {
		if meta, err := jsonrpc.Marshal(r.Meta); err == nil {
			dst = append(append(dst, `,"_meta":`...), meta...)
		}
	}
	return append(dst, "}}\n"...)
}

// notificationLine encodes a notification with encoded params.
func notificationLine(method string, params []byte) []byte {
	dst := append(make([]byte, 0, len(method)+len(params)+48), `{"jsonrpc":"2.0","method":`...)
	dst = jsonrpc.AppendString(dst, method)
	if params != nil {
		dst = append(append(dst, `,"params":`...), params...)
	}
	return append(dst, "}\n"...)
}
