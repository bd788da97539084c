package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// subject is a server, with functions that do the work through its interface.
type subject struct {
	name    string
	env     string // the variable with its command
	command []string
	dotnet  bool
	builds  bool // launches in Delve's "debug" mode, which compiles

	launch func(c *client, p *program) error // until its interface shows the first stop
	next   func(c *client, p *program) error // continue until it shows the next stop
	look   func(c *client) (string, error)   // stack, variables and one evaluation, whose answer is returned
	eval   func(c *client, expression string) (string, error)
	end    func(c *client)
}

func subjects(root string) []*subject {
	breakwire := []string{filepath.Join(root, "bin", "breakwire")}
	ours := subject{name: "breakwire", command: breakwire, launch: oursLaunch, next: oursNext, look: oursLook,
		eval: oursEval, end: ender("debug_disconnect", nil)}
	oursNet := ours
	oursNet.dotnet = true
	debugger := subject{
		name: "mcp-debugger", env: "PEER_MCP_DEBUGGER", launch: debuggerLaunch, next: debuggerNext, look: debuggerLook,
		eval: debuggerEval,
		end:  ender("close_debug_session", nil),
	}
	debuggerNet := debugger
	debuggerNet.dotnet = true
	all := []*subject{
		&ours,
		{name: "mcp-dap-server", env: "PEER_MCP_DAP_SERVER", launch: delveLaunch, next: delveNext, look: delveLook,
			eval: delveEval, end: ender("stop", nil)},
		{
			name: "dap-mcp", env: "PEER_DAP_MCP", builds: true, launch: dapMCPLaunch, next: dapMCPNext,
			look: dapMCPLook, eval: dapMCPEval,
			end: ender("debug_disconnect", args{"terminateDebuggee": true}),
		},
		&debugger,
		&oursNet,
		{name: "mcp-netcoredbg", env: "PEER_MCP_NETCOREDBG", dotnet: true, launch: netLaunch, next: netNext,
			look: netLook, eval: netEval, end: ender("terminate", nil)},
		&debuggerNet,
	}
	for _, s := range all {
		if s.env != "" {
			s.command = strings.Fields(os.Getenv(s.env))
		}
	}
	return all
}

func ender(tool string, a args) func(*client) {
	return func(c *client) { _, _ = c.call(tool, a) }
}

var errNoStop = errors.New("no stop is shown")

// poll repeats ask until it reports true.
func poll(ask func() (bool, error)) error {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if done, err := ask(); done || err != nil {
			return err
		}
	}
	return errNoStop
}

// first runs calls in order and returns the first failure.
func first(calls ...func() error) error {
	for _, call := range calls {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) do(tool string, a args) func() error {
	return func() error {
		_, err := c.call(tool, a)
		return err
	}
}

// breakwire

func oursLaunch(c *client, p *program) error {
	if _, err := c.call("breakpoint_set", args{"file": p.source, "line": p.line}); err != nil {
		return err
	}
	text, err := c.call("debug_launch", args{"program": p.path, "backend": p.debug.name, "stop_at_entry": false})
	if err != nil || strings.Contains(text, `"hitCount":1`) {
		return err
	}
	text, err = c.call("breakpoint_wait", nil)
	return shows(text, err, `"reason":"hit"`)
}

func oursNext(c *client, _ *program) error {
	text, err := c.call("debug_continue", args{"wait": true})
	return shows(text, err, `"reason":"hit"`)
}

func shows(text string, err error, want string) error {
	if err == nil && !strings.Contains(text, want) {
		err = fmt.Errorf("%w: %s", errNoStop, text)
	}
	return err
}

func oursLook(c *client) (string, error) {
	if err := first(c.do("stacktrace_get", nil), c.do("variables_get", nil)); err != nil {
		return "", err
	}
	return oursEval(c, "square")
}

func oursEval(c *client, expression string) (string, error) {
	text, err := c.call("evaluate", args{"expression": expression})
	return field(text, err, "value")
}

// field returns a member of the JSON object in a tool's text.
func field(text string, err error, name string) (string, error) {
	if err != nil {
		return "", err
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		return "", err
	}
	return fmt.Sprint(object[name]), nil
}

// go-delve/mcp-dap-server

func delveLaunch(c *client, p *program) error {
	text, err := c.call("debug",
		args{"mode": "binary", "path": p.path, "breakpoints": []args{{"file": p.source, "line": p.line}}})
	return shows(text, err, "Stopped: breakpoint")
}

func delveNext(c *client, _ *program) error {
	text, err := c.call("continue", nil)
	return shows(text, err, "Stopped: breakpoint")
}

func delveLook(c *client) (string, error) {
	if _, err := c.call("context", nil); err != nil {
		return "", err
	}
	return delveEval(c, "square")
}

func delveEval(c *client, expression string) (string, error) {
	text, err := c.call("evaluate", args{"expression": expression})
	value, _, _ := strings.Cut(text, " ")
	return value, err
}

// ctagard/dap-mcp

func dapMCPLaunch(c *client, p *program) error {
	c.sessionID = ""
	text, err := c.call("debug_launch", args{"language": "go", "program": p.dir(), "cwd": p.dir(), "stopOnEntry": true})
	if c.sessionID, err = field(text, err, "sessionId"); err != nil {
		return err
	}
	lines, err := json.Marshal([]args{{"line": p.line}})
	if err != nil {
		return err
	}
	if _, err := c.call("debug_breakpoints", args{"path": p.source, "breakpoints": string(lines)}); err != nil {
		return err
	}
	return dapMCPNext(c, p)
}

func dapMCPNext(c *client, _ *program) error {
	if _, err := c.call("debug_continue", args{"threadId": 1}); err != nil {
		return err
	}
	return poll(func() (bool, error) {
		// A running program has empty stacks, or the call is refused.
		text, err := c.call("debug_snapshot", args{"threadId": 1, "maxStackDepth": 1})
		return err == nil && strings.Contains(text, "main.Work"), nil
	})
}

func dapMCPLook(c *client) (string, error) {
	if _, err := c.call("debug_snapshot", args{"threadId": 1}); err != nil {
		return "", err
	}
	return dapMCPEval(c, "square")
}

func dapMCPEval(c *client, expression string) (string, error) {
	text, err := c.call("debug_evaluate", args{"expression": expression})
	return field(text, err, "result")
}

// debugmcp/mcp-debugger

func debuggerLaunch(c *client, p *program) error {
	c.sessionID = ""
	text, err := c.call("create_debug_session",
		args{"language": map[bool]string{true: "dotnet", false: "go"}[strings.HasSuffix(p.path, ".dll")]})
	if c.sessionID, err = field(text, err, "sessionId"); err != nil {
		return err
	}
	if _, err := c.call("set_breakpoint", args{"file": p.source, "line": p.line}); err != nil {
		return err
	}
	text, err = c.call("start_debugging", args{"scriptPath": p.path})
	return shows(text, err, `"reason":"breakpoint"`)
}

var lastStop = regexp.MustCompile(`"lastStop":\{[^}]*"timestamp":(\d+)`)

// debuggerNext polls for a stack with a new stop. Directly after the call the server may show the old stop or no
// stack.
func debuggerNext(c *client, _ *program) error {
	before := time.Now().UnixMilli()
	if _, err := c.call("continue_execution", nil); err != nil {
		return err
	}
	return poll(func() (bool, error) {
		text, err := c.call("get_stack_trace", nil)
		return newStop(text, before), err
	})
}

// newStop reports whether a stack belongs to a stop at or after a time in milliseconds.
func newStop(stack string, since int64) bool {
	m := lastStop.FindStringSubmatch(stack)
	if m == nil || strings.Contains(stack, `"stackFrames":[]`) {
		return false
	}
	at, err := strconv.ParseInt(m[1], 10, 64)
	return err == nil && at >= since
}

func debuggerLook(c *client) (string, error) {
	if err := first(c.do("get_stack_trace", nil), c.do("get_local_variables", nil)); err != nil {
		return "", err
	}
	return debuggerEval(c, "square")
}

func debuggerEval(c *client, expression string) (string, error) {
	text, err := c.call("evaluate_expression", args{"expression": expression})
	return field(text, err, "result")
}

// AerialByte/mcp-netcoredbg

func netLaunch(c *client, p *program) error {
	if _, err := c.call("launch", args{"program": p.path, "stopAtEntry": true}); err != nil {
		return err
	}
	// It answers before the program has stopped; until then a continue is lost.
	if err := netWait(c, "stopped (entry)"); err != nil {
		return err
	}
	if _, err := c.call("set_breakpoint", args{"file": p.source, "line": p.line}); err != nil {
		return err
	}
	return netNext(c, p)
}

func netWait(c *client, want string) error {
	return poll(func() (bool, error) {
		text, err := c.call("status", nil)
		return strings.Contains(text, want), err
	})
}

func netNext(c *client, _ *program) error {
	if _, err := c.call("continue", nil); err != nil {
		return err
	}
	return netWait(c, "stopped (breakpoint)")
}

var (
	frameNumber     = regexp.MustCompile(`#(\d+) `)
	variablesNumber = regexp.MustCompile(`ref: (\d+)`)
)

func netLook(c *client) (string, error) {
	text, err := c.call("stack_trace", args{"depth": 0}) // with its default there is no frame in the answer
	if err != nil {
		return "", err
	}
	frame, err := number(frameNumber, text)
	if err != nil {
		return "", err
	}
	if text, err = c.call("scopes", args{"frameId": frame}); err != nil {
		return "", err
	}
	ref, err := number(variablesNumber, text)
	if err != nil {
		return "", err
	}
	if _, err := c.call("variables", args{"variablesReference": ref}); err != nil {
		return "", err
	}
	return netEval(c, "square")
}

// number returns the first number that a pattern matches.
func number(pattern *regexp.Regexp, text string) (int, error) {
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("no %v in %q", pattern, text)
	}
	return strconv.Atoi(m[1])
}

func netEval(c *client, expression string) (string, error) {
	text, err := c.call("evaluate", args{"expression": expression})
	_, value, _ := strings.Cut(text, " = ")
	return value, err
}
