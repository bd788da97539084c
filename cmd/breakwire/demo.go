package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/spf13/cobra"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/scratch"
	"breakwire/cmd/breakwire/internal/view"
	"breakwire/dapclient"
	"breakwire/fixtures"
	"breakwire/mapping"
)

//go:embed usage/demo.txt
var demoLong string

func newDemo(std streams) *cobra.Command {
	backend := ""
	cmd := &cobra.Command{
		Use: "demo", Short: "Run a whole debugging session and narrate it",
		Long:    strings.TrimSpace(demoLong),
		Example: "  breakwire demo\n  breakwire demo --backend dlv\n  breakwire demo --backend replay",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return demo(cmd.Context(), backend, std)
		},
	}
	cmd.Flags().
		StringVar(&backend, "backend", "auto", "debugger `NAME`: auto, netcoredbg, dlv, or replay: a recorded session")
	return cmd
}

// scene is the program that the demo debugs, with its debugger.
type scene struct {
	backend string
	why     string
	program string
	args    []string
	source  string // the path that the client sees
	options adapter.Options

	script func(*player, *scene)

	call   int // line of the loop that calls Work
	inside int // line in Work where its result is known
	sum    string
}

func demo(ctx context.Context, backend string, std streams) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM) // to end the debugger and remove the folder
	defer stop()
	ignoreBrokenPipe()
	var temp scratch.Folder
	dir, err := temp.Path()
	if err != nil {
		return err
	}
	defer temp.Remove()
	n := &narrator{out: std.out, style: newStyle(std.out)}
	if backend == adapter.ReplayName {
		return demoReplay(ctx, dir, n, "asked for")
	}
	done := waiting(std.err, "building the program")
	sc, err := chooseScene(ctx, backend, dir)
	done()
	if err == nil {
		n.say("breakwire %s: a debugging session through MCP, on a real process", version)
		n.say("Debugger: %s, because %s.", sc.backend, sc.why)
		err = play(ctx, sc, n)
	}
	var unusable *unusableError
	if backend == "auto" && ctx.Err() == nil && errors.As(err, &unusable) {
		return demoReplay(ctx, dir, n, unusable.Error())
	}
	return err
}

// unusableError is the reason why no debugger can be used. A failure after the program was launched is not one.
type unusableError struct{ error }

func (e *unusableError) Unwrap() error { return e.error }

// chooseScene finds the best debugger and writes its program to dir.
func chooseScene(ctx context.Context, backend, dir string) (*scene, error) {
	var reasons []string
	for _, try := range []struct {
		name string
		make func(ctx context.Context, dir string) (*scene, error)
	}{{"netcoredbg", dotnetScene}, {"dlv", goScene}} {
		if backend != "auto" && backend != try.name {
			continue
		}
		sc, err := try.make(ctx, dir)
		if err == nil {
			return sc, nil
		}
		reasons = append(reasons, err.Error())
	}
	if len(reasons) == 0 {
		return nil, usagef("--backend %q: want auto, netcoredbg, dlv or replay", backend)
	}
	return nil, &unusableError{fmt.Errorf("no debugger can be used: %s", strings.Join(reasons, "; "))}
}

func dotnetScene(ctx context.Context, dir string) (*scene, error) {
	if _, err := adapter.FindBackend(ctx, dapclient.ProfileByName("netcoredbg"), ""); err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("dotnet"); err != nil {
		return nil, errors.New("dotnet is not on PATH")
	}
	pathMap, err := layOutDotnet(dir)
	if err != nil {
		return nil, err
	}
	return &scene{
		backend: "netcoredbg", why: "netcoredbg and dotnet are installed",
		program: filepath.Join(dir, "bin", "LoopApp.dll"), args: []string{"30"}, source: filepath.Join(dir, "Program.cs"),
		options: adapter.Options{PathMap: pathMap}, script: (*player).script, call: 21, inside: 11, sum: "sum",
	}, nil
}

// layOutDotnet writes the .NET program to dir and returns the map from the source path in its symbols.
func layOutDotnet(dir string) (mapping.PathMap, error) {
	const root = "programs/dotnet/LoopApp"
	err := fs.WalkDir(fixtures.DotnetLoop, root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(path, root)))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := fixtures.DotnetLoop.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
	if err != nil {
		return mapping.PathMap{}, fmt.Errorf("lay out the demo program: %w", err)
	}
	// The program was built elsewhere: its symbols name the source path of that build.
	return mapping.ParsePathMap("/src/LoopApp=" + dir)
}

func goScene(ctx context.Context, dir string) (*scene, error) {
	exe, err := adapter.FindBackend(ctx, dapclient.ProfileByName("dlv"), "")
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("go"); err != nil {
		return nil, errors.New("the go command, which builds the demo program, is not on PATH")
	}
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, fixtures.LoopSource, 0o644); err != nil {
		return nil, fmt.Errorf("lay out the demo program: %w", err)
	}
	program := filepath.Join(dir, "loop")
	build := exec.CommandContext(ctx, "go", "build", "-gcflags=all=-N -l", "-o", program, source)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the demo program: %w: %s", err, bytes.TrimSpace(out))
	}
	return &scene{
		backend: "dlv", why: "Delve is at " + exe + " and netcoredbg with dotnet is not installed",
		program: program, args: []string{"30"}, source: source, script: (*player).script, call: 27, inside: 12, sum: "sum",
	}, nil
}

// play runs the session through the library's MCP client, over pipes.
func play(ctx context.Context, sc *scene, n *narrator) (err error) {
	if sc.options.Backends.Default == "" {
		sc.options.Backends.Default = sc.backend
	}
	sc.options.Log = slog.New(slog.DiscardHandler)
	manager := adapter.NewManager(sc.options)
	defer manager.Close()
	server := mcpserver.New(manager, mcpserver.Options{Version: version})

	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- server.ServeStdio(ctx, fromClient, toClient)
		toClient.Close()
	}()
	c := client.NewClient(transport.NewIO(fromServer, toServer, io.NopCloser(strings.NewReader(""))))
	hits := make(chan mcp.JSONRPCNotification, 1024)
	c.OnNotification(func(m mcp.JSONRPCNotification) {
		if m.Method == "debugger/breakpointHit" {
			select {
			case hits <- m:
			default:
			}
		}
	})
	defer func() {
		c.Close()
		toServer.Close()
		<-served
	}()
	if err := c.Start(ctx); err != nil {
		return fmt.Errorf("start the client: %w", err)
	}
	init := mcp.InitializeRequest{}
	init.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	init.Params.ClientInfo = mcp.Implementation{Name: "breakwire-demo", Version: version}
	if _, err := c.Initialize(ctx, init); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	p := &player{ctx: ctx, client: c, n: n, hits: hits}
	sc.script(p, sc)
	return p.err
}

// player calls tools and describes their results. The first failure ends the script.
type player struct {
	ctx    context.Context
	client *client.Client
	n      *narrator
	hits   chan mcp.JSONRPCNotification
	err    error
}

type object map[string]any

func (p *player) script(sc *scene) {
	n := p.n
	n.step("Set a breakpoint, before the program runs")
	p.tool("breakpoint_set", object{"file": sc.source, "line": sc.call})

	n.step("Launch; the program stops at its entry")
	p.stop(p.tool("debug_launch", object{"program": sc.program, "args": sc.args, "timeout_ms": 60000}))

	n.step("Continue to the breakpoint; the hit is pushed and returned")
	r := p.tool("debug_continue", object{"wait": true})
	p.stop(r)
	p.hit()

	n.step("Look around: stack, variables, an expression")
	p.stack(p.tool("stacktrace_get", object{"max_frames": 3}))
	p.variables(p.tool("variables_get", nil))
	v := p.tool("evaluate", object{"expression": sc.sum + " + 100"})
	n.detail("%s + 100 is %v", sc.sum, v["value"])

	n.step("Step into the function, over a line, and out again")
	for _, mode := range []string{"in", "over", "out"} {
		p.stop(p.tool("debug_step", object{"mode": mode}))
	}

	n.step("Log without stopping: a tracepoint with expressions")
	p.tool("breakpoint_remove", object{"all": true})
	p.tool("tracepoint_set", object{
		"file": sc.source, "line": sc.inside, "log_message": "Work({i}) has square {square}", "max_notifications": 5,
	})
	n.step("Let it run to its end")
	end := p.tool("debug_continue", object{"wait": true})
	for range 5 {
		p.hit()
	}
	n.step("Read what it printed")
	p.finish(end)
}

// finish shows how the program ended, and the next steps for the user.
func (p *player) finish(end object) {
	n := p.n
	if p.err == nil && end["reason"] != "exited" {
		p.err = fmt.Errorf("the program did not end: %v", end)
	}
	if session, ok := end["session"].(map[string]any); ok {
		n.detail("the program ended with exit code %v", session["exitCode"])
	}
	out := p.tool("process_read_output", object{"tail_lines": 5})
	if text, ok := out["stdout"].(string); ok {
		for line := range strings.Lines(text) {
			n.detail("| %s", strings.TrimRight(line, "\r\n"))
		}
	}
	if p.err == nil {
		n.say("\nThat is all an agent needs. Give it to yours:\n\n%s",
			mcpServersSnippet(server{"breakwire", ownPath(), []string{}}))
	}
}

// tool calls one tool; a failure ends the script.
func (p *player) tool(name string, args object) object {
	if p.err != nil {
		return object{}
	}
	raw, _ := json.Marshal(args)
	if args == nil {
		raw = []byte("{}")
	}
	p.n.call(name, string(raw))
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = name, map[string]any(args)
	start := time.Now()
	result, err := p.client.CallTool(p.ctx, request)
	if err != nil {
		p.err = fmt.Errorf("%s: %w", name, err)
		return object{}
	}
	p.n.took(time.Since(start))
	text := ""
	if len(result.Content) > 0 {
		if t, ok := result.Content[0].(mcp.TextContent); ok {
			text = t.Text
		}
	}
	var answer object
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		p.err = fmt.Errorf("%s: answer not understood: %w", name, err)
		return object{}
	}
	if result.IsError {
		p.err = fmt.Errorf("%s: %s", name, text)
		if name == "debug_launch" {
			p.err = &unusableError{p.err}
		}
	}
	return answer
}

// hit shows the next hit notification as it was received.
func (p *player) hit() {
	if p.err != nil {
		return
	}
	select {
	case m := <-p.hits:
		raw, _ := json.Marshal(m.Params.AdditionalFields)
		p.n.detail("<- %s %s", m.Method, raw)
	case <-time.After(10 * time.Second):
		p.err = errors.New("no hit notification arrived")
	}
}

func (p *player) stop(r object) {
	stop, ok := r["stop"].(map[string]any)
	if !ok {
		if p.err == nil {
			p.err = fmt.Errorf("the program did not stop: %v", r)
		}
		return
	}
	place := ""
	if l, ok := stop["location"].(map[string]any); ok {
		place = fmt.Sprintf(" in %v, %s:%v", l["functionName"], filepath.Base(fmt.Sprint(l["file"])), l["line"])
	}
	p.n.detail("stopped (%v)%s", stop["reason"], place)
	if lines, ok := stop["source"].([]any); ok {
		for _, line := range lines {
			p.n.detail("  %v", line)
		}
	}
}

func (p *player) stack(r object) {
	frames, _ := r["frames"].([]any)
	for _, f := range frames {
		if frame, ok := f.(map[string]any); ok {
			line := any("-")
			if l, ok := frame["location"].(map[string]any); ok {
				line = l["line"]
			}
			p.n.detail("#%v %v, line %v", frame["index"], frame["function"], line)
		}
	}
}

func (p *player) variables(r object) {
	list, _ := r["variables"].([]any)
	for _, x := range list {
		if v, ok := x.(map[string]any); ok {
			p.n.detail("%v %v = %v", v["type"], v["name"], v["value"])
		}
	}
}

// narrator writes the demo's text.
type narrator struct {
	out   io.Writer
	style view.Style
	steps int
}

func (n *narrator) say(format string, args ...any) { fmt.Fprintf(n.out, format+"\n", args...) }

func (n *narrator) step(title string) {
	n.steps++
	fmt.Fprintf(n.out, "\n%s%d. %s%s\n", n.style.Bold, n.steps, title, n.style.Reset)
}

func (n *narrator) call(tool, args string) {
	fmt.Fprintf(n.out, "   -> %s%s%s %s", n.style.Cyan, tool, n.style.Reset, args)
}

func (n *narrator) took(d time.Duration) {
	fmt.Fprintf(n.out, "  %s[%.1f ms]%s\n", n.style.Dim, float64(d.Microseconds())/1000, n.style.Reset)
}

func (n *narrator) detail(format string, args ...any) {
	fmt.Fprintf(n.out, "      "+format+"\n", args...)
}
