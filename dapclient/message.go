package dapclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-dap"
)

// Kind is the "type" of a protocol message (DAP, ProtocolMessage).
type Kind string

// The three kinds of the protocol.
const (
	KindRequest  Kind = "request"
	KindResponse Kind = "response"
	KindEvent    Kind = "event"
)

// Message is one received message. Its envelope is decoded; its body stays raw until it is needed. Body is nil when
// absent.
type Message struct {
	Seq        int
	Kind       Kind
	Name       string // command of a request or response, name of an event
	RequestSeq int    // response: seq of its request, 0 when the adapter left it out
	Success    bool   // response
	Text       string // response: "message", the short reason of a failure
	Body       json.RawMessage
	Arguments  json.RawMessage // request
	Raw        []byte          // the whole body of the frame as received

	// DuringCall: a thread event that came while a request was open that may run code of the program.
	DuringCall bool
}

// looseInt decodes a number or a number in a string, which netcoredbg sends as seq. Anything else is zero: an invalid
// seq must not lose the message.
func looseInt(value []byte) int {
	value = bytes.Trim(value, `"`)
	if v, err := strconv.Atoi(string(value)); err == nil {
		return v
	}
	const exact = 1 << 53 // beyond it a float is not an exact integer
	if f, err := strconv.ParseFloat(string(value), 64); err == nil && f == math.Trunc(f) && f > -exact && f < exact {
		return int(f)
	}
	return 0
}

// looseText decodes a JSON string; anything else is empty.
type looseText string

func (t *looseText) UnmarshalJSON(b []byte) error {
	*t = looseText(text(b))
	return nil
}

// Decode decodes the envelope of one frame body. Raw control characters inside strings, which some adapters send, are
// escaped first. Body and Arguments are parts of raw, which must not be changed afterwards.
func Decode(raw []byte) (*Message, error) {
	m, err := decodeEnvelope(raw)
	if err != nil {
		mended := escapeControls(raw)
		if mended == nil {
			return nil, fmt.Errorf("decode message: %w", err)
		}
		if m, err = decodeEnvelope(mended); err != nil {
			return nil, fmt.Errorf("decode message: %w", err)
		}
	}
	m.Raw = raw
	switch m.Kind {
	case KindEvent, KindRequest, KindResponse:
		return m, nil
	}
	return nil, fmt.Errorf("decode message: type %s is none of request, response, event", clip(string(m.Kind)))
}

func decodeEnvelope(raw []byte) (*Message, error) {
	m := new(Message)
	var command, event []byte
	err := scanObject(raw, func(name, value []byte) {
		if bytes.IndexByte(name, '\\') >= 0 {
			name, _ = json.Marshal(text(name))
		}
		switch string(name) {
		case `"seq"`:
			m.Seq = looseInt(value)
		case `"type"`:
			m.Kind = Kind(word(value))
		case `"command"`:
			command = value
		case `"event"`:
			event = value
		case `"request_seq"`:
			m.RequestSeq = looseInt(value)
		case `"success"`:
			m.Success = truthy(value)
		case `"message"`:
			m.Text = text(value)
		case `"body"`:
			m.Body = present(value)
		case `"arguments"`:
			m.Arguments = present(value)
		}
	})
	if err != nil {
		return nil, err
	}
	if m.Kind == KindEvent {
		command = event
	}
	m.Name = word(command)
	return m, nil
}

// words maps the JSON text of strings that nearly every message has to their values, so that decoding them does not
// allocate.
var words = sync.OnceValue(func() map[string]string {
	words := make(map[string]string)
	for _, w := range []string{
		"event", "request", "response",
		"breakpoint", "continued", "module", "output", "stopped", "thread",
		"continue", "evaluate", "next", "scopes", "setBreakpoints", "stackTrace", "stepIn", "stepOut",
		"threads", "variables",
	} {
		words[`"`+w+`"`] = w
	}
	return words
})

// word decodes a JSON string that is probably one of words.
func word(value []byte) string {
	if w, ok := words()[string(value)]; ok {
		return w
	}
	return text(value)
}

// truthy reports whether value is true, or "true" in a string.
func truthy(value []byte) bool {
	return string(value) == "true" || strings.EqualFold(text(value), "true")
}

// present returns nil for null.
func present(value []byte) json.RawMessage {
	if string(value) == "null" {
		return nil
	}
	return value
}

// escapeControls returns raw with the control characters inside strings escaped, nil if there were none.
func escapeControls(raw []byte) []byte {
	out := make([]byte, 0, len(raw)+16)
	inside, changed := false, false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case inside && c == '\\' && i+1 < len(raw):
			out = append(out, c)
			i++
			c = raw[i]
		case c == '"':
			inside = !inside
		case inside && c < 0x20:
			out = fmt.Appendf(out, `\u%04x`, c)
			changed = true
			continue
		}
		out = append(out, c)
	}
	if !changed {
		return nil
	}
	return out
}

// DecodeBody decodes the body of a message into a body type of go-dap. A missing body gives the zero value. A field
// with a wrong JSON type stays zero and does not affect the others: adapters send strings in place of numbers.
func DecodeBody[T any](m *Message) (T, error) {
	var body T
	if m.Body == nil {
		return body, nil
	}
	return body, decodeLoose(m.Body, &body, m)
}

// DecodeArguments is DecodeBody for the arguments of a request.
func DecodeArguments[T any](m *Message) (T, error) {
	var args T
	if m.Arguments == nil {
		return args, nil
	}
	return args, decodeLoose(m.Arguments, &args, m)
}

func decodeLoose(raw json.RawMessage, into any, m *Message) error {
	err := json.Unmarshal(raw, into)
	var mismatch *json.UnmarshalTypeError
	if err == nil || errors.As(err, &mismatch) {
		return nil // encoding/json has decoded everything else
	}
	if mended := escapeControls(raw); mended != nil && json.Unmarshal(mended, into) == nil {
		return nil
	}
	return fmt.Errorf("decode body of %s: %w", m.Name, err)
}

// Typed decodes the whole message with go-dap's codec, after rewriting its seq for the codec. Unknown events,
// requests and responses are errors (*dap.DecodeProtocolMessageFieldError); use Body for those.
func (m *Message) Typed() (dap.Message, error) {
	raw, err := normaliseSeq(m)
	if err != nil {
		return nil, err
	}
	return dap.DecodeProtocolMessage(raw)
}

// normaliseSeq rewrites seq and request_seq as numbers.
func normaliseSeq(m *Message) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := decodeLoose(m.Raw, &fields, m); err != nil {
		return nil, err
	}
	fields["seq"] = strconv.AppendInt(nil, int64(m.Seq), 10)
	if m.Kind == KindResponse {
		fields["request_seq"] = strconv.AppendInt(nil, int64(m.RequestSeq), 10)
	}
	return json.Marshal(fields)
}

// ResponseError is a response with success false (DAP, ErrorResponse).
type ResponseError struct {
	Command string
	Short   string // "message": often a code or a general phrase
	Detail  string // body.error.format with its variables filled in: the real reason, where sent
}

func (e *ResponseError) Error() string { return e.Command + ": " + e.Reason() }

// Reason returns the most specific text that the adapter sent.
func (e *ResponseError) Reason() string {
	switch {
	case e.Detail != "":
		return e.Detail
	case e.Short != "":
		return e.Short
	}
	return "the debugger gave no reason"
}

// Err returns nil for a successful response, else a *ResponseError.
func (m *Message) Err() error {
	if m.Kind != KindResponse || m.Success {
		return nil
	}
	e := &ResponseError{Command: m.Name, Short: m.Text}
	body, err := DecodeBody[struct {
		Error json.RawMessage `json:"error"`
	}](m)
	if err == nil {
		e.Detail = errorText(body.Error, m)
	}
	return e
}

// errorText fills the variables into the format of an error (DAP, Message). Some adapters send a string in its place.
func errorText(raw json.RawMessage, m *Message) string {
	if len(raw) == 0 || raw[0] != '{' {
		return text(raw)
	}
	var message struct {
		Format    looseText                  `json:"format"`
		Variables map[string]json.RawMessage `json:"variables"`
	}
	if decodeLoose(raw, &message, m) != nil {
		return ""
	}
	var pairs []string
	for name, value := range message.Variables {
		filled := string(value)
		if value[0] == '"' {
			filled = text(value)
		}
		pairs = append(pairs, "{"+name+"}", filled)
	}
	// In one pass, so that a value is never taken for a placeholder.
	return strings.NewReplacer(pairs...).Replace(string(message.Format))
}
