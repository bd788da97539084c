package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"breakwire/adapter"
	"breakwire/dapclient/transcript"
	"breakwire/fixtures"
)

// demoReplay plays the embedded recording of netcoredbg through the same server and tools.
func demoReplay(ctx context.Context, dir string, n *narrator, why string) error {
	rec, err := transcript.Load(bytes.NewReader(fixtures.DotnetRecording), int64(len(fixtures.DotnetRecording)))
	if err != nil {
		return fmt.Errorf("load the recorded session: %w", err)
	}
	pathMap, err := layOutDotnet(dir)
	if err != nil {
		return err
	}
	if n.steps > 0 { // a debugger was tried before
		n.say("")
	}
	n.steps = 0
	n.say("breakwire %s: a debugging session through MCP, recorded from %s and played back", version, rec.Backend)
	n.say("Why a recording: %s.", why)
	return play(ctx, &scene{
		backend: rec.Backend, source: filepath.Join(dir, "Program.cs"), program: rec.Program, args: []string{"30"},
		options: adapter.Options{
			PathMap: pathMap, Backends: adapter.OnlyReplay(adapter.Replay(rec, transcript.PlayOptions{}, nil)),
		},
		script: (*player).replay, call: 21, inside: 9,
	}, n)
}

// replay is the script for the recording. Requests that resume the program must come in the recorded order; other
// requests may come in any order.
func (p *player) replay(sc *scene) {
	n := p.n
	n.step("Before the program runs: stop at the fifth hit of a line, and log each hit before that without stopping")
	p.tool("breakpoint_set", object{"file": sc.source, "line": sc.call, "hit_condition": "5"})
	p.tool("tracepoint_set", object{"file": sc.source, "line": sc.call, "log_message": "pass {i}: the sum is {sum}",
		"max_notifications": 4})

	n.step("Launch; the hits are pushed, and the stop is returned")
	r := p.tool("debug_launch", object{"program": sc.program, "args": sc.args, "stop_at_entry": false})
	for range 5 {
		p.hit()
	}
	p.stop(r)

	n.step("Look around: stack, variables, an expression")
	p.stack(p.tool("stacktrace_get", object{"max_frames": 3}))
	p.variables(p.tool("variables_get", nil))
	v := p.tool("evaluate", object{"expression": "i + sum"})
	n.detail("i + sum is %v", v["value"])

	n.step("Step into the function, over two lines, out again, and on")
	for _, mode := range []string{"in", "over", "over", "out", "over", "over"} {
		p.stop(p.tool("debug_step", object{"mode": mode}))
	}

	n.step("A second breakpoint, inside the function")
	second := p.tool("breakpoint_set", object{"file": sc.source, "line": sc.inside})
	p.stop(p.tool("debug_continue", object{"wait": true}))
	p.hit()

	n.step("A condition: stop only when i is 20")
	if bp, ok := second["breakpoint"].(map[string]any); ok {
		p.tool("breakpoint_remove", object{"id": bp["id"]})
	}
	p.tool("breakpoint_set", object{"file": sc.source, "line": sc.call, "condition": "i == 20"})
	p.stop(p.tool("debug_continue", object{"wait": true}))
	p.hit()
	v = p.tool("evaluate", object{"expression": "sum"})
	n.detail("sum is %v", v["value"])

	n.step("Let it run to its end, and read what it printed")
	p.tool("breakpoint_remove", object{"all": true})
	p.finish(p.tool("debug_continue", object{"wait": true}))
}
