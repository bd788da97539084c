package dapclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

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

// Message is one received message: its envelope decoded, its body left raw until
// somebody needs it (Body is nil when absent).
type Message struct {
	Seq        int
	Kind       Kind
	Name       string // command of a request or response, name of an event
	RequestSeq int    // response: the request it answers, 0 when the adapter left it out
	Success    bool   // response
	Text       string // response: "message", the short reason of a failure
	Body       json.RawMessage
	Arguments  json.RawMessage // request
	Raw        []byte          // the whole body of the frame as received
}

// looseInt takes a number, a number in a string (netcoredbg writes seq so), or
// anything else as zero: a strange seq is no reason to lose a message.
type looseInt int

func (n *looseInt) UnmarshalJSON(b []byte) error {
	b = bytes.Trim(b, `"`)
	if v, err := strconv.Atoi(string(b)); err == nil {
		*n = looseInt(v)
	} else if f, err := strconv.ParseFloat(string(b), 64); err == nil {
		*n = looseInt(f)
	}
	return nil
}

type looseString string

func (s *looseString) UnmarshalJSON(b []byte) error {
	var v string
	if json.Unmarshal(b, &v) == nil {
		*s = looseString(v)
	}
	return nil
}

type envelope struct {
	Seq        looseInt        `json:"seq"`
	Type       looseString     `json:"type"`
	Command    looseString     `json:"command"`
	Event      looseString     `json:"event"`
	RequestSeq looseInt        `json:"request_seq"`
	Success    any             `json:"success"`
	Message    looseString     `json:"message"`
	Body       json.RawMessage `json:"body"`
	Arguments  json.RawMessage `json:"arguments"`
}

// Decode reads the envelope of one frame body. Bodies with raw control
// characters inside strings, which some adapters send, are mended first.
func Decode(raw []byte) (*Message, error) {
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		mended := escapeControls(raw)
		if mended == nil || json.Unmarshal(mended, &e) != nil {
			return nil, fmt.Errorf("decode message: %w", err)
		}
	}
	m := &Message{
		Seq: int(e.Seq), Kind: Kind(e.Type), Name: string(e.Command),
		RequestSeq: int(e.RequestSeq), Success: truthy(e.Success), Text: string(e.Message),
		Body: present(e.Body), Arguments: present(e.Arguments), Raw: raw,
	}
	switch m.Kind {
	case KindEvent:
		m.Name = string(e.Event)
	case KindRequest, KindResponse:
	default:
		return nil, fmt.Errorf("decode message: type %s is none of request, response, event", clip(string(e.Type)))
	}
	return m, nil
}

func truthy(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case string:
		return strings.EqualFold(v, "true")
	}
	return false
}

func present(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}

// escapeControls returns raw with control characters inside strings escaped, nil if
// there were none.
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

// DecodeBody decodes the body of a message into a body type of go-dap. A missing
// body leaves the zero value. Fields whose JSON type is wrong are left zero and do not
// spoil the others: adapters send strings where numbers belong.
func DecodeBody[T any](m *Message) (T, error) {
	var body T
	if m.Body == nil {
		return body, nil
	}
	return body, decodeLoose(m.Body, &body, m)
}

// DecodeArguments does for a request's arguments what DecodeBody does for a body.
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

// Typed decodes the whole message through go-dap's codec, after giving it a seq that the
// codec can read. Unknown events, requests and responses are errors there
// (*dap.DecodeProtocolMessageFieldError); use Body for those.
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
	if err := json.Unmarshal(m.Raw, &fields); err != nil {
		return nil, fmt.Errorf("decode message: %w", err)
	}
	fields["seq"] = strconv.AppendInt(nil, int64(m.Seq), 10)
	if m.Kind == KindResponse {
		fields["request_seq"] = strconv.AppendInt(nil, int64(m.RequestSeq), 10)
	}
	return json.Marshal(fields)
}

// ResponseError is a response with success:false.
type ResponseError struct {
	Command string
	Short   string // "message": often a code or a general phrase
	Detail  string // body.error.format with its variables filled in: the real reason, where sent
}

func (e *ResponseError) Error() string { return e.Command + ": " + e.Reason() }

// Reason is the most telling text that the adapter gave.
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
	var body struct {
		Error *struct {
			Format    looseString                `json:"format"`
			Variables map[string]json.RawMessage `json:"variables"`
		} `json:"error"`
	}
	if m.Body != nil && json.Unmarshal(m.Body, &body) == nil && body.Error != nil {
		e.Detail = string(body.Error.Format)
		for name, raw := range body.Error.Variables {
			var text string
			if json.Unmarshal(raw, &text) != nil {
				text = string(raw)
			}
			e.Detail = strings.ReplaceAll(e.Detail, "{"+name+"}", text)
		}
	}
	return e
}
