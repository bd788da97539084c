package mcpserver

import (
	"strconv"

	"breakwire/adapter"
	"breakwire/adapter/inspect"
	"breakwire/adapter/mcpserver/jsonrpc"
)

// appendHit appends the params of debugger/breakpointHit. They are encoded by hand because thousands of hits come per
// second; a test compares them with encoding/json.
func appendHit(dst []byte, h *adapter.Hit) []byte {
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendUint(dst, h.Seq, 10)
	dst = append(dst, `,"sessionId":`...)
	dst = jsonrpc.AppendString(dst, h.SessionID)
	dst = append(dst, `,"breakpointId":`...)
	dst = jsonrpc.AppendString(dst, h.BreakpointID)
	dst = append(dst, `,"type":`...)
	dst = jsonrpc.AppendString(dst, h.Type)
	dst = append(dst, `,"location":`...)
	dst = appendLocation(dst, &h.Location)
	dst = append(dst, `,"threadId":`...)
	dst = strconv.AppendInt(dst, int64(h.ThreadID), 10)
	dst = append(dst, `,"timestamp":`...)
	dst = jsonrpc.AppendString(dst, h.Timestamp)
	dst = append(dst, `,"hitCount":`...)
	dst = strconv.AppendUint(dst, h.HitCount, 10)
	if h.LogMessage != nil {
		dst = append(dst, `,"logMessage":`...)
		dst = jsonrpc.AppendString(dst, *h.LogMessage)
	}
	if e := h.Exception; e != nil {
		dst = append(dst, `,"exceptionInfo":{"type":`...)
		dst = jsonrpc.AppendString(dst, e.Type)
		dst = append(dst, `,"message":`...)
		dst = jsonrpc.AppendString(dst, e.Message)
		dst = append(dst, `,"isFirstChance":`...)
		dst = strconv.AppendBool(dst, e.IsFirstChance)
		dst = append(dst, '}')
	}
	if h.OldValue != nil && h.NewValue != nil {
		dst = append(dst, `,"oldValue":`...)
		dst = jsonrpc.AppendString(dst, *h.OldValue)
		dst = append(dst, `,"newValue":`...)
		dst = jsonrpc.AppendString(dst, *h.NewValue)
	}
	if h.Missed > 0 {
		dst = append(dst, `,"missed":`...)
		dst = strconv.AppendUint(dst, h.Missed, 10)
	}
	return append(dst, '}')
}

func appendLocation(dst []byte, l *inspect.Location) []byte {
	dst = append(dst, '{')
	sep := func() {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
	}
	text := func(key, value string) {
		if value != "" {
			sep()
			dst = append(dst, key...)
			dst = jsonrpc.AppendString(dst, value)
		}
	}
	number := func(key string, value int) {
		if value != 0 {
			sep()
			dst = append(dst, key...)
			dst = strconv.AppendInt(dst, int64(value), 10)
		}
	}
	text(`"file":`, l.File)
	number(`"line":`, l.Line)
	number(`"column":`, l.Column)
	text(`"functionName":`, l.FunctionName)
	text(`"moduleName":`, l.ModuleName)
	return append(dst, '}')
}
