package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
)

// TooManyRequests is the code of TooMany, in the range that JSON-RPC reserves for servers.
const TooManyRequests = -32000

// Methods that the transport itself handles.
const (
	MethodInitialized = "notifications/initialized"
	MethodCancelled   = string(mcp.MethodNotificationCancelled)
	MethodInitialize  = string(mcp.MethodInitialize)
	MethodDiscover    = string(mcp.MethodServerDiscover)
	MethodListen      = string(mcp.MethodSubscriptionsListen)
)

// Message is one line from the client, decoded as far as the transport needs.
type Message struct {
	Line      []byte
	ID        json.RawMessage // as it was sent, so that the answer repeats it exactly; nil for none
	Method    string
	Versioned bool // it has a "jsonrpc" member

	Key    string // of the request in the table of calls, "" for none
	Answer bool   // a response to a request of ours; we send none
	Over   func() // set by the handler of the message; called when the answer is queued or will never come; nil for none
}

// Error is a JSON-RPC error that the transport itself sends.
type Error struct {
	ID      json.RawMessage
	Code    int
	Message string
	Data    []byte // JSON, nil for none

	Unversioned bool // the line had no "jsonrpc"
}

// Line returns the error as a line of the stream.
func (e *Error) Line() []byte {
	dst := append(make([]byte, 0, 96+len(e.Message)), `{"jsonrpc":"2.0","id":`...)
	dst = AppendID(dst, e.ID)
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = AppendString(dst, e.Message)
	if e.Data != nil {
		dst = append(append(dst, `,"data":`...), e.Data...)
	}
	return append(dst, "}}\n"...)
}

// TooMany refuses a request for which there is no room.
func TooMany(id json.RawMessage) *Error {
	return &Error{ID: id, Code: TooManyRequests,
		Message: "too many requests wait or are in flight: read their answers first"}
}

// AppendID appends a request's id, or null. Broken UTF-8 in a string is replaced, because it would make the whole
// line invalid.
func AppendID(dst []byte, id json.RawMessage) []byte {
	if id == nil {
		return append(dst, "null"...)
	}
	return append(dst, bytes.ToValidUTF8(id, []byte("\ufffd"))...)
}

// Parse reads a line. It refuses what the library would answer without the request's id, or not at all.
func Parse(line []byte) (_ *Message, refused *Error) {
	if line[0] == '[' {
		return nil, &Error{Code: mcp.INVALID_REQUEST,
			Message: "JSON-RPC batches are not supported: send one message a line"}
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
			return nil, &Error{Code: mcp.INVALID_REQUEST, Message: "a message must be a JSON object"}
		}
		return nil, &Error{Code: mcp.PARSE_ERROR, Message: fmt.Sprintf("parse error: %v", err)}
	}
	m := &Message{Line: line, Versioned: e.JSONRPC != nil}
	defer func() {
		if refused != nil {
			refused.Unversioned = !m.Versioned
		}
	}()
	hasID := e.ID != nil
	if hasID && string(e.ID) != "null" {
		key, ok := IDKey(e.ID)
		if !ok {
			return nil, &Error{Code: mcp.INVALID_REQUEST, Message: "id must be a string or a number"}
		}
		m.ID, m.Key = e.ID, key
	}
	switch {
	case e.Method != nil:
		if json.Unmarshal(e.Method, &m.Method) != nil || m.Method == "" {
			return nil, &Error{ID: m.ID, Code: mcp.INVALID_REQUEST, Message: "method must be a string"}
		}
		if hasID && m.ID == nil && m.Versioned {
			return nil, &Error{Code: mcp.INVALID_REQUEST, Message: "id must not be null: leave it out for a notification"}
		}
	case e.Result != nil || e.Error != nil:
		m.Answer = true
	default:
		return nil, &Error{ID: m.ID, Code: mcp.INVALID_REQUEST, Message: "a message needs a method"}
	}
	return m, nil
}

// IDKey returns a key for an id. The ids "1" and 1 have different keys.
func IDKey(id json.RawMessage) (string, bool) {
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

// CancelledKey returns the key of the request that a notifications/cancelled names (MCP, Cancellation).
func CancelledKey(line []byte) string {
	var n struct {
		Params struct {
			RequestID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &n) != nil {
		return ""
	}
	key, _ := IDKey(n.Params.RequestID)
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

// IsModern reports whether a request names a protocol version without sessions in its _meta.
func IsModern(line []byte) bool {
	var m requestMeta
	return json.Unmarshal(line, &m) == nil && mcp.IsModernProtocol(m.Params.Meta.ProtocolVersion)
}

// ProgressToken returns the progress token of a request, nil for none.
func ProgressToken(line []byte) json.RawMessage {
	var m requestMeta
	if json.Unmarshal(line, &m) != nil || IsNull(m.Params.Meta.ProgressToken) {
		return nil
	}
	return m.Params.Meta.ProgressToken
}

// SalvageID finds the id of a request that was too long to read. It is near the beginning or, as the TypeScript SDK
// writes it, at the very end. Without the id the caller would wait for ever.
func SalvageID(head, tail []byte) json.RawMessage {
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
			if _, ok := IDKey(value); ok && name == "id" {
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
	if _, ok := IDKey(last.ID); !ok {
		return nil
	}
	return last.ID
}
