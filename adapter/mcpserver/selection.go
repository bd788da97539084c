package mcpserver

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/server"

	"breakwire/mapping"
)

// coreTools are the tools of --tools core.
var coreTools = []string{
	"debug_launch", "debug_attach", "debug_restart", "debug_disconnect", "debug_state", "debug_continue", "debug_pause",
	"debug_step", "breakpoint_wait", "breakpoint_set", "breakpoint_remove", "breakpoint_list", "tracepoint_set",
	"variables_get", "evaluate", "stacktrace_get", "events_query", "process_read_output",
}

// SelectTools returns the names that --tools means: all (nil), core, or names with commas between them, among which
// core may be.
func SelectTools(text string) ([]string, error) {
	known := slices.Sorted(maps.Keys(outputs()))
	var names []string
	for name := range strings.SplitSeq(text, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "all" || text == "":
			return nil, nil
		case name == "core":
			names = append(names, coreTools...)
		case slices.Contains(known, name):
			names = append(names, name)
		default:
			hint := ""
			if near := mapping.Nearest(name, known); near != "" {
				hint = fmt.Sprintf(", such as %s", near)
			}
			return nil, fmt.Errorf("%q: want all, core, or names of tools%s", name, hint)
		}
	}
	return names, nil
}

// offers reports whether a tool is listed and may be called.
func (s *Server) offers(tool string) bool {
	return s.opts.Tools == nil || slices.Contains(s.opts.Tools, tool)
}

// withhold takes back the tools that were not selected.
func (s *Server) withhold() {
	for name := range s.mcp.ListTools() {
		if !s.offers(name) {
			s.mcp.DeleteTools(name)
		}
	}
}

// instruct gives clients the instructions that are true with the tools that are offered.
func (s *Server) instruct() {
	server.WithInstructions(s.possible(instructions))(s.mcp)
}

var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[a-z]+(_[a-z]+)+`) })

// possible returns the lines of a text that name no tool that is not offered.
func (s *Server) possible(text string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if !slices.ContainsFunc(toolName().FindAllString(line, -1), s.withheld) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func (s *Server) withheld(word string) bool {
	if s.opts.Tools == nil {
		return false
	}
	_, tool := outputs()[word]
	return tool && !s.offers(word)
}
