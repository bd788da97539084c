package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// Version is the format version that this package writes, and the newest that it reads.
const Version = 1

// Header is the optional first line.
type Header struct {
	Version int       `json:"breakwire"`
	Backend string    `json:"backend,omitempty"`
	Program string    `json:"program,omitempty"`
	Time    time.Time `json:"time,omitzero"`
}

// Entry is one message of a recording.
type Entry struct {
	Line   int   // in the file, from 1
	Offset int64 // of the line in the file
	Length int   // of the line, without its end
	Time   time.Duration
	Dir    dapclient.Direction
	// Body is the body of the frame: the bytes of msg, or the decoded raw.
	Body []byte
	// Raw is true when Body is not one JSON object.
	Raw bool
}

// LineError is an error in one line of a recording.
type LineError struct {
	Line   int
	Reason string
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// parseLine parses one message line. Body is part of line where possible.
func parseLine(line []byte, e *Entry) error {
	if !json.Valid(line) {
		return errors.New(invalidReason(line))
	}
	if line[0] != '{' {
		return errors.New("not a recorded message: not a JSON object")
	}
	return parseFields(line, e)
}

// parseFields is parseLine for a line that is a JSON object.
func parseFields(line []byte, e *Entry) error {
	var seconds, dir, msg, raw []byte
	rawjson.Each(line, func(key []byte, start, end int) bool {
		switch string(key) {
		case "t":
			seconds = line[start:end]
		case "dir":
			dir = line[start:end]
		case "msg":
			msg = line[start:end:end]
		case "raw":
			raw = line[start:end]
		}
		return true
	})
	switch string(dir) {
	case `"send"`:
		e.Dir = dapclient.Sent
	case `"recv"`:
		e.Dir = dapclient.Received
	case "":
		return errors.New(`not a recorded message: no "dir"`)
	default:
		return fmt.Errorf(`"dir" is %s, not "send" or "recv"`, clip(dir))
	}
	e.Time = 0
	if seconds != nil {
		t, err := strconv.ParseFloat(string(seconds), 64)
		if err != nil {
			return fmt.Errorf(`"t" is %s, not a number`, clip(seconds))
		}
		e.Time = time.Duration(t * float64(time.Second))
	}
	switch {
	case msg != nil && raw != nil:
		return errors.New(`both "msg" and "raw"`)
	case msg != nil && msg[0] != '{':
		return fmt.Errorf(`"msg" is %s, not an object`, clip(msg))
	case msg != nil:
		e.Body, e.Raw = msg, false
	case raw != nil && raw[0] == '"':
		e.Body, e.Raw = rawjson.Bytes(raw), true
	case raw != nil:
		return fmt.Errorf(`"raw" is %s, not a string`, clip(raw))
	default:
		return errors.New(`neither "msg" nor "raw"`)
	}
	return nil
}

// invalidReason returns what is wrong with a line that is not JSON.
func invalidReason(line []byte) string {
	var any json.RawMessage
	err := json.Unmarshal(line, &any)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end") {
		return "damaged: the line is cut off"
	}
	return fmt.Sprintf("damaged: not JSON (%v): %s", err, clip(line))
}

// parseHeader parses the first line as a header. ok is false when it is something else.
func parseHeader(line []byte) (h Header, ok bool, err error) {
	if rawjson.Field(line, "breakwire") == nil || rawjson.Field(line, "dir") != nil || !json.Valid(line) {
		return h, false, nil
	}
	var loose struct {
		Breakwire any
		Backend   any
		Program   any
		Time      any
	}
	if err := json.Unmarshal(line, &loose); err != nil {
		return h, true, err
	}
	version, isNumber := loose.Breakwire.(float64)
	if !isNumber || version < 1 {
		return h, true, fmt.Errorf(`"breakwire" is %s, not a version`, clip(rawjson.Field(line, "breakwire")))
	}
	if version > Version {
		return h, true, fmt.Errorf("written by a newer breakwire (format %v, this one reads %d)", version, Version)
	}
	h.Version = int(version)
	h.Backend, _ = loose.Backend.(string)
	h.Program, _ = loose.Program.(string)
	if text, isText := loose.Time.(string); isText {
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			h.Time = t
		}
	}
	return h, true, nil
}

func clip(b []byte) string {
	const most = 60
	if len(b) > most {
		return string(bytes.ToValidUTF8(b[:most], []byte("?"))) + "..."
	}
	return string(bytes.ToValidUTF8(b, []byte("?")))
}
