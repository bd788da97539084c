package mcpserver

import (
	"bytes"
	"encoding/json"
	"sync"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/jsonrpc"
)

// appetite is the memory that a tool needs for its answer.
type appetite struct {
	starts claim  // held before the handler runs
	less   string // what to ask when the answer would be too large
}

var (
	// A fromMemory tool answers at once from the server's own state; it holds only its answer.
	fromMemory = building
	// A looking tool asks the debugger for a page of values.
	looking = claim{bytes: lookBytes}
	// A waiting tool may wait long for the program, and answers with a stop.
	waiting = claim{bytes: startBytes}
)

// appetites lists all tools that do not wait.
var appetites = sync.OnceValue(func() map[string]appetite {
	return map[string]appetite{
		"breakpoint_list":       {fromMemory, "name one session with session_id, or remove breakpoints"},
		"collection_analyze":    {looking, "ask for a smaller max_preview_items"},
		"debug_state":           {looking, "use threads_list and stacktrace_get"},
		"evaluate":              {looking, "ask for a part of the value"},
		"events_query":          {fromMemory, "ask for a smaller limit, or for some types only"},
		"exception_get_context": {looking, "ask for fewer frames, without their variables"},
		"modules_list":          {looking, "give name_filter, or include_system=false"},
		"object_summarize":      {looking, "ask for a smaller max_preview_items"},
		"process_read_output":   {fromMemory, "ask for a smaller max_bytes"},
		"sessions_list":         {fromMemory, "end sessions with debug_disconnect"},
		"snapshot_diff":         {fromMemory, "take the snapshots with a smaller depth"},
		"snapshot_list":         {fromMemory, "take the snapshots with a smaller depth"},
		"source_get":            {fromMemory, "ask for around_line with a smaller context_lines"},
		"stacktrace_get":        {looking, "ask for a smaller max_frames"},
		"threads_list": {looking, "use debug_state for the thread that stopped, and stacktrace_get with " +
			"thread_id for others"},
		"variables_get": {looking, "ask for a smaller count"},
	}
})

// claimOf returns what a request holds before it is handled.
func claimOf(m *jsonrpc.Message) claim {
	switch mcp.MCPMethod(m.Method) {
	case mcp.MethodToolsCall:
		var e struct {
			Params struct {
				Name string `json:"name"`
			} `json:"params"`
		}
		if json.Unmarshal(m.Line, &e) == nil {
			return claimOfTool(e.Params.Name)
		}
		return waiting
	case mcp.MethodResourcesRead:
		return building
	case mcp.MethodInitialize, mcp.MethodServerDiscover, mcp.MethodToolsList, mcp.MethodResourcesList,
		mcp.MethodResourcesTemplatesList,
		mcp.MethodPromptsList, mcp.MethodPromptsGet:
		return claim{bytes: listBytes}
	}
	return waiting // ping, subscriptions, and the methods of the older protocol
}

func claimOfTool(name string) claim {
	if a, ok := appetites()[name]; ok {
		return a.starts
	}
	return waiting
}

// wireBytes returns the length in bytes of a tool's result on the wire. The result is there twice: as structured
// content and as text. Over HTTP the library escapes <, > and &.
func wireBytes(raw []byte) int {
	n := len(raw) + jsonrpc.EscapedLen(raw)
	for _, c := range []byte{'<', '>', '&'} {
		n += 10 * bytes.Count(raw, []byte{c})
	}
	return n
}

// textBytes returns the largest length in bytes that a text can have on the wire.
func textBytes(text string) int {
	if !utf8.ValidString(text) {
		return 6 * len(text)
	}
	n := len(text)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t':
			n++
		case c < ' ' || c == '<' || c == '>' || c == '&':
			n += 5
		case c == 0xe2: // the line and paragraph separators, which the library escapes
			n += 3
		}
	}
	return n
}

// tooLarge refuses an answer that exceeds the limit, and says what to ask instead.
func tooLarge(what string, size int) *fault.Error {
	less := appetites()[what].less
	if less == "" {
		less = "ask for less at once"
	}
	return fault.Errorf(fault.AnswerTooLarge, "the answer of %s would have %d bytes, more than the %d that one "+
		"may have: %s",
		what, size, answerBytes, less).With("bytes", size).With("limit", answerBytes)
}

// encodedLen returns the length of a value as JSON, 0 for one that cannot be encoded.
func encodedLen(value any) int {
	buf := encodeBuffers.Get().(*bytes.Buffer)
	defer encodeBuffers.Put(buf)
	buf.Reset()
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(value) != nil {
		return 0
	}
	return buf.Len() - 1
}
