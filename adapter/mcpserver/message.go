package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
)

// codeTooManyRequests is in the range that JSON-RPC reserves for servers.
const codeTooManyRequests = -32000

const (
	methodInitialized = "notifications/initialized"
	methodCancelled   = string(mcp.MethodNotificationCancelled)
	methodInitialize  = string(mcp.MethodInitialize)
	methodDiscover    = string(mcp.MethodServerDiscover)
	methodListen      = string(mcp.MethodSubscriptionsListen)
)

// Message is one line from the client, decoded as far as the transport needs.
type Message struct {
	Line      []byte
	ID        json.RawMessage // as it was sent, so that the answer repeats it exactly; nil for none
	Method    string
	Versioned bool // it has a "jsonrpc" member

	key    string // of the request in the table of calls, "" for none
	answer bool   // a response to a request of ours; we send none
	over   func() // set by the handler of the message; called when the answer is queued or will never come; nil for none
}

// rpcError is a JSON-RPC error that the transport itself sends.
type rpcError struct {
	id      json.RawMessage
	code    int
	message string
	data    []byte // JSON, nil for none

	unversioned bool // the line had no "jsonrpc"
}

func (e *rpcError) line() []byte {
	dst := append(make([]byte, 0, 96+len(e.message)), `{"jsonrpc":"2.0","id":`...)
	dst = appendID(dst, e.id)
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.code), 10)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, e.message)
	if e.data != nil {
		dst = append(append(dst, `,"data":`...), e.data...)
	}
	return append(dst, "}}\n"...)
}

// tooMany refuses a request for which there is no room.
func tooMany(id json.RawMessage) *rpcError {
	return &rpcError{id: id, code: codeTooManyRequests,
		message: "too many requests wait or are in flight: read their answers first"}
}

// appendID appends a request's id, or null. Broken UTF-8 in a string is replaced, because it would make the whole
// line invalid.
func appendID(dst []byte, id json.RawMessage) []byte {
	if id == nil {
		return append(dst, "null"...)
	}
	return append(dst, bytes.ToValidUTF8(id, []byte("\ufffd"))...)
}

// parseMessage reads a line. It refuses what the library would answer without the request's id, or not at all.
func parseMessage(line []byte) (_ *Message, refused *rpcError) {
	if line[0] == '[' {
		return nil, &rpcError{code: mcp.INVALID_REQUEST,
			message: "JSON-RPC batches are not supported: send one message a line"}
	}
	var e struct {
		JSONRPC json.RawMessage `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  json.RawMessage `json:"method"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &e); err != nil {
		if json.Valid(line) {
			return nil, &rpcError{code: mcp.INVALID_REQUEST, message: "a message must be a JSON object"}
		}
		return nil, &rpcError{code: mcp.PARSE_ERROR, message: fmt.Sprintf("parse error: %v", err)}
	}
	m := &Message{Line: line, Versioned: e.JSONRPC != nil}
	defer func() {
		if refused != nil {
			refused.unversioned = !m.Versioned
		}
	}()
	hasID := e.ID != nil
	if hasID && string(e.ID) != "null" {
		key, ok := idKey(e.ID)
		if !ok {
			return nil, &rpcError{code: mcp.INVALID_REQUEST, message: "id must be a string or a number"}
		}
		m.ID, m.key = e.ID, key
	}
	switch {
	case e.Method != nil:
		if json.Unmarshal(e.Method, &m.Method) != nil || m.Method == "" {
			return nil, &rpcError{id: m.ID, code: mcp.INVALID_REQUEST, message: "method must be a string"}
		}
		if hasID && m.ID == nil && m.Versioned {
			return nil, &rpcError{code: mcp.INVALID_REQUEST, message: "id must not be null: leave it out for a notification"}
		}
	case e.Result != nil || e.Error != nil:
		m.answer = true
	default:
		return nil, &rpcError{id: m.ID, code: mcp.INVALID_REQUEST, message: "a message needs a method"}
	}
	return m, nil
}

// idKey returns a key for an id. The ids "1" and 1 have different keys.
func idKey(id json.RawMessage) (string, bool) {
	if len(id) == 0 {
		return "", false
	}
	switch c := id[0]; {
	case c == '"':
		var s string
		err := json.Unmarshal(id, &s)
		return "s" + s, err == nil
	case c == '-' || c >= '0' && c <= '9':
		return "n" + string(id), true
	}
	return "", false
}

// cancelledKey returns the key of the request that a notifications/cancelled names (MCP, Cancellation).
func cancelledKey(line []byte) string {
	var n struct {
		Params struct {
			RequestID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &n) != nil {
		return ""
	}
	key, _ := idKey(n.Params.RequestID)
	return key
}

// requestMeta is what the transport reads from a request's _meta.
type requestMeta struct {
	Params struct {
		Meta struct {
			ProtocolVersion string          `json:"io.modelcontextprotocol/protocolVersion"`
			ProgressToken   json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

func isModern(line []byte) bool {
	var m requestMeta
	return json.Unmarshal(line, &m) == nil && mcp.IsModernProtocol(m.Params.Meta.ProtocolVersion)
}

func progressToken(line []byte) json.RawMessage {
	var m requestMeta
	if json.Unmarshal(line, &m) != nil || isNull(m.Params.Meta.ProgressToken) {
		return nil
	}
	return m.Params.Meta.ProgressToken
}

// salvageID finds the id of a request that was too long to read. It is near the beginning or, as the TypeScript SDK
// writes it, at the very end. Without the id the caller would wait for ever.
func salvageID(head, tail []byte) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(head))
	dec.UseNumber()
	if t, err := dec.Token(); err == nil && t == json.Delim('{') {
		for {
			name, err := dec.Token()
			if err != nil {
				break
			}
			var value json.RawMessage
			if dec.Decode(&value) != nil {
				break
			}
			if _, ok := idKey(value); ok && name == "id" {
				return value
			}
		}
	}
	i := bytes.LastIndex(tail, []byte(`"id":`))
	if i < 0 {
		return nil
	}
	var last struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(append([]byte("{"), tail[i:]...), &last) != nil {
		return nil
	}
	if _, ok := idKey(last.ID); !ok {
		return nil
	}
	return last.ID
}
