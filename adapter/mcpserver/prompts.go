package mcpserver

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/toolargs"
	"breakwire/mapping"
)

// promptArg is an argument of a prompt.
type promptArg struct {
	name, description string
	required          bool
	complete          argKind
}

// prompt describes how to do a task with the tools. A test checks that every `name` in its text is in tools/list.
type prompt struct {
	name, title, description string
	args                     []promptArg
	text                     func(given map[string]string) string
}

// optional returns the formatted argument if it was given, "" otherwise.
func optional(given map[string]string, name, format string) string {
	if v := given[name]; v != "" {
		return fmt.Sprintf(format, v)
	}
	return ""
}

var prompts = []prompt{
	{
		name: "diagnose_exception", title: "Diagnose an exception",
		description: "Find out why a program throws, from the place where it does",
		args: []promptArg{
			{"exception_type", "Full name of the exception type; default any", false, argException},
			{"program", "Program to launch when nothing is being debugged yet", false, argNone},
		},
		text: func(given map[string]string) string {
			typ := given["exception_type"]
			if typ == "" {
				typ = "*"
			}
			return `Find out why the program throws` + optional(given, "exception_type", " %s") + `.

1. ` + "`debug_state`" +
				` says whether a session is live. If it is already paused with reason exception, go on at step 4.
2. ` + "`breakpoint_set_exception`" + ` with exception_type "` + typ + `".` +
				optional(given, "program", " If nothing is being debugged: `debug_launch` with program \"%s\" and "+
					"stop_at_entry false.") + `
3. ` + "`breakpoint_wait`" + ` (or ` + "`debug_continue`" +
				` with wait true when paused). A stop with reason exception holds type, message, whether it is ` +
				`first chance, and the place.
4. ` + "`stacktrace_get`" + `: the innermost frame that is not external is where to look. ` + "`variables_get`" +
				` with its frame_index, then up the callers: which value is wrong, and who passed it?
5. Test the explanation with ` + "`evaluate`" + `; read the code with ` + "`source_get`" + `.
6. Say the cause, the evidence (frame, values), and the smallest fix. End with ` + "`debug_disconnect`" +
				` unless the user wants to go on.`
		},
	},
	{
		name: "find_bug_source", title: "Find the source of a bug",
		description: "Narrow down where a wrong result comes from",
		args: []promptArg{
			{"symptom", "What is wrong: expected and seen", true, argNone},
			{"file", "Where to begin, if known", false, argFile},
			{"program", "Program to launch when nothing is being debugged yet", false, argNone},
		},
		text: func(given map[string]string) string {
			return `Find the source of this bug: ` + given["symptom"] + `

1. ` + "`debug_state`" + `;` +
				optional(given, "program", " if nothing is being debugged: `debug_launch` with program \"%s\".") +
				` Read the code in question` + optional(given, "file", " (begin with %s)") + `.
2. Form two or three hypotheses, each with a line and an expression that tells it apart.
3. Watch without stopping first: ` + "`tracepoint_set`" + ` on these lines with log_message such as "x is {x}", then ` +
				`let it run. Messages are in ` + "`events_query`" +
				` with types ["tracepoint"]; what the program prints is in ` + "`process_read_output`" + `.
4. Where a value turns wrong, ` + "`breakpoint_set`" + ` with a condition that holds only then, and ` +
				"`breakpoint_wait`" + `. At the stop: ` + "`variables_get`" + `, ` + "`stacktrace_get`" + `, ` +
				"`evaluate`" + `, and ` + "`debug_step`" + ` line by line.
5. Go back from the wrong value to the first place where it is wrong while all that it was made from is right: ` +
				`that is the source.
6. Say the cause, the evidence, and the smallest fix. Remove what you set with ` + "`breakpoint_remove`" + `.`
		},
	},
	{
		name: "inspect_runtime_state", title: "Inspect the running program",
		description: "Describe what the program is doing now: threads, stacks, variables, recent events",
		args: []promptArg{
			{"expression", "A value of interest", false, argVariable},
		},
		text: func(given map[string]string) string {
			return `Describe what the program is doing right now.

1. ` + "`debug_state`" + `. If it runs, ` + "`debug_pause`" + ` first, and remember that it ran.
2. ` + "`threads_list`" + `: which threads are there, and where do they stand?
3. ` + "`stacktrace_get`" + ` for the current thread, and for others that stand in the program's own code.
4. ` + "`variables_get`" + ` for the innermost frames of interest; expand only what matters.` +
				optional(given, "expression", " `evaluate` %s.") + `
5. ` + "`events_query`" + ` for what led here, ` + "`process_read_output`" + ` with tail_lines 20 for what it printed.
6. Summarize: what it does, what it waits for, anything that looks wrong. If it ran before, ` + "`debug_continue`" + `.`
		},
	},
	{
		name: "find_deadlock", title: "Find a deadlock",
		description: "Find out why a program does not go on: who waits for what, and who holds it",
		args: []promptArg{
			{"program", "Program to launch when nothing is being debugged yet", false, argNone},
		},
		text: func(given map[string]string) string {
			return `Find out why the program does not go on.

1. ` + "`debug_state`" + `.` + optional(given, "program", " If nothing is being debugged: `debug_launch` with program "+
				"\"%s\" and stop_at_entry false, and let it run until it hangs.") +
				` If it runs, ` + "`debug_pause`" + `.
2. ` + "`threads_list`" + `: waitsFor is what a thread waits for, waitsOn the object (equal texts are one ` +
				`object), heldBy the threads that can end the wait. likely says that heldBy is read from the ` +
				`source or from variables. deadlocked are threads that wait for each other; tasks are suspended ` +
				`tasks and what they await.
3. ` + "`stacktrace_get`" + ` with all true, then of each thread in deadlocked and in heldBy: where did it take what ` +
				`it holds, and where does it wait? Frames of kind async await a task or have created a goroutine.
4. Without deadlocked: follow heldBy from the thread that matters to one that does not wait, and see in ` +
				"`variables_get`" + ` why it does not go on. A thread without heldBy waits for input, a timer, or a signal ` +
				`that nobody may send.
5. Check a likely holder with ` + "`evaluate`" + ` in its frame.
6. Say the circle (thread, line, what it holds, what it waits for), and the smallest fix, such as one order of locks.`
		},
	},
	{
		name: "trace_data_flow", title: "Trace how a value changes",
		description: "Follow a value through the program with tracepoints, without stopping it",
		args: []promptArg{
			{"expression", "The value to follow", true, argVariable},
			{"file", "File where it is set or used", false, argFile},
			{"breakpoint_id", "A tracepoint that is there already", false, argBreakpoint},
		},
		text: func(given map[string]string) string {
			e := given["expression"]
			return `Follow ` + e + ` through the program without stopping it.

1. Read the code` + optional(given, "file", " (begin with %s)") + ` and list the lines where ` + e + ` is set or used.
2. ` + "`tracepoint_set`" + ` on each, with log_message "` + strings.NewReplacer("{", "{{", "}", "}}").
				Replace(e) + ` is {` + e + `}". For lines that are hit often: hit_count_multiple, max_notifications or a condition.
3. Let the program run (` + "`debug_continue`" + `, or nothing when it runs). ` + "`events_query`" +
				` with types ["tracepoint"]` + optional(given, "breakpoint_id", " and breakpoint_id %s") +
				` and after_seq = the last seq you have seen returns the messages in order, with thread and place.
4. Build a table: seq, place, thread, value. Mark the first row whose value is not what the code before it explains.
5. There, ` + "`breakpoint_set`" + ` with a condition on the value, ` + "`breakpoint_wait`" + `, ` +
				"`stacktrace_get`" + ` and ` + "`variables_get`" + `: who called with what?
6. Say how the value flows and where it goes wrong, if it does. ` + "`breakpoint_remove`" + ` what you set.`
		},
	},
}

// addPrompts adds the prompts whose tools are all offered.
func (s *Server) addPrompts() {
	for _, p := range prompts {
		everything := map[string]string{}
		for _, a := range p.args {
			everything[a.name] = "x"
		}
		if slices.ContainsFunc(toolName().FindAllString(p.text(everything), -1), s.withheld) {
			continue
		}
		entry := mcp.Prompt{Name: p.name, Title: p.title, Description: p.description}
		for _, a := range p.args {
			entry.Arguments = append(entry.Arguments, mcp.PromptArgument{Name: a.name, Description: a.description,
				Required: a.required})
		}
		s.mcp.AddPrompt(entry, func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if err := p.check(request.Params.Arguments); err != nil {
				return nil, failRequest(ctx, mcp.INVALID_PARAMS, err)
			}
			return &mcp.GetPromptResult{
				Description: p.description,
				Messages: []mcp.PromptMessage{{
					Role: mcp.RoleUser, Content: mcp.TextContent{Type: "text", Text: p.text(request.Params.Arguments)},
				}},
			}, nil
		})
	}
}

// check refuses missing and unknown arguments.
func (p *prompt) check(given map[string]string) *fault.Error {
	var names []string
	for _, a := range p.args {
		names = append(names, a.name)
		if a.required && blank(given[a.name]) {
			return fault.Errorf(fault.InvalidParameter, "%s needs %q: %s", p.name, a.name, a.description).
				With("parameter", a.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if p.argument(name) == nil {
			e := fault.Errorf(fault.InvalidParameter, "%s has no argument %q; it has %s", p.name, toolargs.Clip(name),
				strings.Join(names, ", "))
			return e.With("parameter", toolargs.Clip(name)).With("nearest", mapping.Nearest(name, names))
		}
	}
	return nil
}

func (p *prompt) argument(name string) *promptArg {
	for i := range p.args {
		if p.args[i].name == name {
			return &p.args[i]
		}
	}
	return nil
}
