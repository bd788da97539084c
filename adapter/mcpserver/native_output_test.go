package mcpserver_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// printed returns a stream of the program as one text.
func printed(c *mcptest.Client, stream string) string {
	var text strings.Builder
	r := c.Do("process_read_output", mcptest.Args{"stream": stream, "max_bytes": 1 << 20})
	for i := range r.Len("output") {
		text.WriteString(r.String("output." + itoa(i) + ".text"))
	}
	return text.String()
}

// The terminal between program and lldb-dap makes CR LF of each line end, also where an event ends between the two. A
// CR of the program's own stays.
func TestLineEndsOfATerminal(t *testing.T) {
	s := serve(t, "lldb-dap", daptest.LLDB(), loop(3))
	s.launchTo(t, 9)
	for _, text := range []string{`one\r\ntw`, `o\r`, `\nhalf\rover\r\r\n`, `no end`} {
		s.adapter().Event("output", `{"category":"stdout","output":"`+text+`"}`)
	}
	require.Eventually(t, func() bool {
		return strings.HasSuffix(printed(s.Client, "stdout"), "no end")
	}, mcptest.Patience, time.Millisecond)
	text := printed(s.Client, "stdout")
	assert.True(t, strings.HasSuffix(text, "one\ntwo\nhalf\rover\r\nno end"), "%q", text)
}

// What lldb-dap writes as standard error are its own complaints. They are in the journal, and no output of the program.
func TestComplaintsOfTheDebugger(t *testing.T) {
	const complaint = "error: prog 0x0000007e: DW_TAG_member 'b' refers to type 0x87\n"
	said := func(s *session) string {
		return string(s.Do("events_query", mcptest.Args{"types": []string{"output"}}).At("events").Raw)
	}
	for name, shape := range map[string]daptest.Shape{"lldb-dap": daptest.LLDB(), "debugpy": daptest.Debugpy()} {
		s := serve(t, name, shape, loop(3))
		s.launchTo(t, 9)
		s.adapter().Event("output", `{"category":"stderr","output":"`+strings.TrimSpace(complaint)+`\n"}`)
		require.Eventually(t, func() bool {
			return strings.Contains(said(s), "DW_TAG_member")
		}, mcptest.Patience, time.Millisecond)
		if name == "debugpy" { // it has no such words: this is the program's
			assert.Equal(t, complaint, printed(s.Client, "stderr"))
			continue
		}
		assert.Contains(t, said(s), `"stream":"debugger"`)
		assert.NotContains(t, printed(s.Client, "both"), "DW_TAG_member")
		r := s.Do("process_read_output", mcptest.Args{"tail_lines": 10})
		assert.Empty(t, r.String("stderr"))
	}
}

// What debugpy's adapter says about an attach has no source. It is in the journal, and no output of the program.
func TestWordsAboutAnAttach(t *testing.T) {
	said := []string{
		`{"category":"stdout","output":"Attaching to PID: 7 (elapsed: 1.00s).\n"}`,
		`{"category":"stderr","output":"Attach to PID failed.\n\n"}`,
	}
	for _, attached := range []bool{true, false} {
		gate, open := daptest.Gate()
		defer open()
		s := serve(t, "debugpy", daptest.Debugpy(), sleeper(gate))
		if attached {
			s.Do("debug_attach", mcptest.Args{"pid": 4242})
		} else {
			s.launch(t)
		}
		before := len(printed(s.Client, "both"))
		for _, body := range said {
			s.adapter().Event("output", body)
		}
		s.adapter().Event("output", `{"category":"stdout","output":"the program's\n","source":{}}`)
		require.Eventually(t, func() bool {
			return strings.HasSuffix(printed(s.Client, "both"), "the program's\n")
		}, mcptest.Patience, time.Millisecond)
		text := printed(s.Client, "both")[before:]
		if !attached { // its launcher reads the program's streams, and knows no source
			assert.Equal(t, "Attaching to PID: 7 (elapsed: 1.00s).\nAttach to PID failed.\n\nthe program's\n", text)
			continue
		}
		assert.Equal(t, "the program's\n", text)
		r := s.Do("events_query", mcptest.Args{"types": []string{"output"}})
		assert.Equal(t, 2, strings.Count(string(r.Raw), `"stream":"debugger"`), "%s", r.Raw)
	}
}

// Standard error of a native program is its own stream: at a stop, at the end, and when a child still has it open.
func TestLiveStderrOfLLDB(t *testing.T) {
	const text = `#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int c, char **v) {
    fprintf(stderr, "to stderr\n");
    printf("to stdout\n");
    fflush(stdout); // line 7
    if (c > 1 && !strcmp(v[1], "many"))
        for (int i = 0; i < 20000; i++) fprintf(stderr, "line %d\n", i);
    if (c > 1 && !strcmp(v[1], "child") && fork() == 0) sleep(30);
    fprintf(stderr, "no end\r");
    return 3;
}
`
	source, program := writeC(t, t.TempDir(), text, "-g", "-O0")
	for _, mode := range []string{"", "many", "child"} {
		c := liveLLDB(t)
		c.Do("breakpoint_set", mcptest.Args{"file": source, "line": 7})
		r := c.Do("debug_launch", mcptest.Args{"program": program, "args": []string{mode}, "stop_at_entry": false})
		if r.String("session.state") == "running" {
			r = c.Do("breakpoint_wait", mcptest.Args{"after_seq": 0})
		}
		require.True(t, r.Has("stop"), "%s", r.Raw)
		require.Eventually(t, func() bool {
			return printed(c, "stderr") == "to stderr\n"
		}, mcptest.Patience, time.Millisecond)
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
		require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
		assert.Equal(t, "to stdout\n", printed(c, "stdout"))
		got := printed(c, "stderr")
		assert.True(t, strings.HasPrefix(got, "to stderr\n") && strings.HasSuffix(got, "no end\r"), "%s", mode)
		if mode == "many" {
			assert.Equal(t, 20001, strings.Count(got, "\n"))
		}
	}
}
