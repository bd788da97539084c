package dapclient

import (
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"breakwire/dapclient/internal/rawjson"
)

// Bodies and arguments of a tracepoint hit, of which thousands come per second. They are encoded and decoded by hand;
// tests compare them with encoding/json.

// Stopped is the body of a stopped event (DAP, Stopped), with lldb-dap's threadCausedFocus. ThreadID is nil when
// absent.
type Stopped struct {
	Reason           string `json:"reason"`
	Description      string `json:"description"`
	ThreadID         *int   `json:"threadId"`
	Text             string `json:"text"`
	HitBreakpointIDs []int  `json:"hitBreakpointIds"`
	CausedFocus      bool   `json:"threadCausedFocus"`
}

// DecodeStopped decodes a stopped event.
func DecodeStopped(m *Message) Stopped {
	var e Stopped
	rawjson.Each(m.Body, func(key []byte, start, end int) bool {
		value := m.Body[start:end]
		switch string(key) {
		case "reason":
			e.Reason = rawjson.Text(value)
		case "description":
			e.Description = rawjson.Text(value)
		case "text":
			e.Text = rawjson.Text(value)
		case "threadId":
			if n, ok := number(value); ok {
				e.ThreadID = &n
			}
		case "threadCausedFocus":
			e.CausedFocus = string(value) == "true"
		case "hitBreakpointIds":
			rawjson.Elements(value, func(start, end int) bool {
				if n, ok := number(value[start:end]); ok {
					e.HitBreakpointIDs = append(e.HitBreakpointIDs, n)
				}
				return true
			})
		}
		return true
	})
	return e
}

// number decodes an integer, also one in a string, because adapters send both.
func number(raw []byte) (n int, ok bool) {
	n, err := strconv.Atoi(strings.Trim(string(raw), `"`))
	return n, err == nil
}

// DecodeTopFrame decodes the first frame of a stackTrace response (DAP, StackTrace), nil when there is none.
func DecodeTopFrame(m *Message) *dap.StackFrame {
	frames := rawjson.Field(m.Body, "stackFrames")
	var top *dap.StackFrame
	rawjson.Elements(frames, func(start, end int) bool {
		top = decodeFrame(frames[start:end])
		return false
	})
	return top
}

func decodeFrame(raw []byte) *dap.StackFrame {
	f := new(dap.StackFrame)
	rawjson.Each(raw, func(key []byte, start, end int) bool {
		value := raw[start:end]
		switch string(key) {
		case "id":
			f.Id, _ = number(value)
		case "name":
			f.Name = rawjson.Text(value)
		case "line":
			f.Line, _ = number(value)
		case "column":
			f.Column, _ = number(value)
		case "endLine":
			f.EndLine, _ = number(value)
		case "endColumn":
			f.EndColumn, _ = number(value)
		case "canRestart":
			f.CanRestart = string(value) == "true"
		case "instructionPointerReference":
			f.InstructionPointerReference = rawjson.Text(value)
		case "presentationHint":
			f.PresentationHint = rawjson.Text(value)
		case "moduleId":
			if value[0] == '"' {
				f.ModuleId = rawjson.Text(value)
			} else if n, ok := number(value); ok {
				f.ModuleId = float64(n) // as encoding/json would
			}
		case "source":
			if value[0] == '{' {
				f.Source = decodeSource(value)
			}
		}
		return true
	})
	return f
}

func decodeSource(raw []byte) *dap.Source {
	s := new(dap.Source)
	rawjson.Each(raw, func(key []byte, start, end int) bool {
		value := raw[start:end]
		switch string(key) {
		case "name":
			s.Name = rawjson.Text(value)
		case "path":
			s.Path = rawjson.Text(value)
		case "sourceReference":
			s.SourceReference, _ = number(value)
		case "presentationHint":
			s.PresentationHint = rawjson.Text(value)
		case "origin":
			s.Origin = rawjson.Text(value)
		}
		return true
	})
	return s
}

// DecodeThreads decodes a threads response (DAP, Threads).
func DecodeThreads(m *Message) []dap.Thread {
	var list []dap.Thread
	threads := rawjson.Field(m.Body, "threads")
	rawjson.Elements(threads, func(start, end int) bool {
		raw := threads[start:end]
		var t dap.Thread
		rawjson.Each(raw, func(key []byte, start, end int) bool {
			switch string(key) {
			case "id":
				t.Id, _ = number(raw[start:end])
			case "name":
				t.Name = rawjson.Text(raw[start:end])
			}
			return true
		})
		list = append(list, t)
		return true
	})
	return list
}

// DecodeEvaluation decodes the result of an evaluate response (DAP, Evaluate).
func DecodeEvaluation(m *Message) dap.EvaluateResponseBody {
	var e dap.EvaluateResponseBody
	rawjson.Each(m.Body, func(key []byte, start, end int) bool {
		value := m.Body[start:end]
		switch string(key) {
		case "result":
			e.Result = rawjson.Text(value)
		case "type":
			e.Type = rawjson.Text(value)
		case "variablesReference":
			e.VariablesReference, _ = number(value)
		case "namedVariables":
			e.NamedVariables, _ = number(value)
		case "indexedVariables":
			e.IndexedVariables, _ = number(value)
		case "memoryReference":
			e.MemoryReference = rawjson.Text(value)
		}
		return true
	})
	return e
}

// appender is implemented by arguments that encode themselves.
type appender interface{ appendArguments(dst []byte) []byte }

// ContinueArguments are the arguments of DAP, Continue.
type ContinueArguments struct {
	ThreadID int `json:"threadId"`
}

func (a ContinueArguments) appendArguments(dst []byte) []byte {
	dst = append(dst, `{"threadId":`...)
	dst = strconv.AppendInt(dst, int64(a.ThreadID), 10)
	return append(dst, '}')
}

func (a StackTraceArguments) appendArguments(dst []byte) []byte {
	dst = append(dst, `{"threadId":`...)
	dst = strconv.AppendInt(dst, int64(a.ThreadID), 10)
	dst = append(dst, `,"startFrame":`...)
	dst = strconv.AppendInt(dst, int64(a.StartFrame), 10)
	dst = append(dst, `,"levels":`...)
	dst = strconv.AppendInt(dst, int64(a.Levels), 10)
	return append(dst, '}')
}

func (a EvaluateArguments) appendArguments(dst []byte) []byte {
	dst = append(dst, `{"expression":`...)
	dst = rawjson.AppendString(dst, a.Expression)
	if a.FrameID != nil {
		dst = append(dst, `,"frameId":`...)
		dst = strconv.AppendInt(dst, int64(*a.FrameID), 10)
	}
	if a.Context != "" {
		dst = append(dst, `,"context":`...)
		dst = rawjson.AppendString(dst, a.Context)
	}
	if a.Format != nil && a.Format.Hex {
		dst = append(dst, `,"format":{"hex":true}`...)
	}
	return append(dst, '}')
}
