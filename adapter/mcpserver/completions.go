package mcpserver

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"breakwire/adapter"
	"breakwire/adapter/inspect"
	"breakwire/adapter/journal"
	"breakwire/mapping"
)

// argKind says where the possible values of an argument come from.
type argKind uint8

const (
	argNone       argKind = iota
	argFile               // files that the program names
	argBreakpoint         // ids
	argException          // types seen in the journal or named by exception breakpoints
	argVariable           // names at the current stop
)

const (
	// completed is the most values in one answer (MCP, Completion).
	completed = 100
	// completionTime limits the time for reading variables, because an editor asks at each key press.
	completionTime = 500 * time.Millisecond
)

// completer answers completion/complete (MCP, Completion).
type completer struct{ s *Server }

// CompletePromptArgument completes an argument of a prompt.
func (c completer) CompletePromptArgument(ctx context.Context, name string, arg mcp.CompleteArgument,
	_ mcp.CompleteContext) (*mcp.Completion, error) {
	for i := range prompts {
		if prompts[i].name == name {
			if a := prompts[i].argument(arg.Name); a != nil {
				return completion(c.values(ctx, a.complete, ""), arg.Value), nil
			}
		}
	}
	return completion(nil, ""), nil
}

// CompleteResourceArgument completes the file of the source template. uri is the template itself.
func (c completer) CompleteResourceArgument(ctx context.Context, uri string, arg mcp.CompleteArgument,
	_ mcp.CompleteContext) (*mcp.Completion, error) {
	r, err := parseURI(uri)
	if err != nil || r.kind != kindSource || arg.Name != "file" {
		return completion(nil, ""), nil
	}
	return completion(c.values(ctx, argFile, r.session), arg.Value), nil
}

// values returns all values that an argument may have now.
func (c completer) values(ctx context.Context, kind argKind, id string) []string {
	session, err := c.s.sessionOf(id)
	switch {
	case kind == argBreakpoint:
		var ids []string
		for _, b := range c.s.manager.Breakpoints("") {
			ids = append(ids, b.ID)
		}
		return ids
	case kind == argException:
		return c.exceptions()
	case err != nil:
		return nil
	case kind == argFile:
		return session.Files()
	case kind == argVariable:
		return variableNames(ctx, session)
	}
	return nil
}

// exceptions returns the types seen in the journal, newest first, then those of the exception breakpoints.
func (c completer) exceptions() []string {
	var types []string
	add := func(t string) {
		if t != "" && t != "*" && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	page := c.s.manager.Journal().Tail(journal.Filter{
		Classes: journal.MaskOf(journal.Control), Types: []string{journal.TypeHit, journal.TypeStop},
	}, 1000)
	for _, e := range slices.Backward(page.Entries) {
		switch data := e.Data.(type) {
		case *adapter.HitEvent:
			if data.Stop != nil && data.Stop.Exception != nil {
				add(data.Stop.Exception.Type)
			}
		case *adapter.Stop:
			if data.Exception != nil {
				add(data.Exception.Type)
			}
		}
	}
	for _, b := range c.s.manager.Breakpoints("") {
		add(b.ExceptionType)
	}
	return types
}

// variableNames returns the names in the top frame when the program is paused.
func variableNames(ctx context.Context, session *adapter.Session) []string {
	if session.Snapshot().State != adapter.Paused {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	page, err := session.Variables(ctx, inspect.VariablesQuery{Frame: inspect.NamedFrame, Scope: "all", Count: 1000})
	if err != nil {
		return nil
	}
	var names []string
	for _, v := range page.Variables {
		if !slices.Contains(names, v.Name) {
			names = append(names, v.Name)
		}
	}
	return names
}

// completion selects the values that match the typed text: first those that begin with it, then those whose file name
// begins with it, then those that contain it. Case does not matter.
func completion(values []string, typed string) *mcp.Completion {
	typed = strings.ToLower(typed)
	var ranked [3][]string
	for _, v := range values {
		lower := strings.ToLower(v)
		switch {
		case strings.HasPrefix(lower, typed):
			ranked[0] = append(ranked[0], v)
		case strings.HasPrefix(strings.ToLower(mapping.Base(v)), typed):
			ranked[1] = append(ranked[1], v)
		case strings.Contains(lower, typed):
			ranked[2] = append(ranked[2], v)
		}
	}
	all := slices.Concat(ranked[0], ranked[1], ranked[2])
	shown := all[:min(len(all), completed)]
	return &mcp.Completion{Values: append([]string{}, shown...), Total: len(all), HasMore: len(all) > len(shown)}
}
