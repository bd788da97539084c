package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
)

const panicsText = `package main

import (
	"errors"
	"fmt"
	"io/fs"
)

type own struct{ code int }

func (o *own) Error() string { return fmt.Sprint("own ", o.code) }

func try(f func()) {
	defer func() { _ = recover() }()
	f()
}

func main() {
	var m map[string]int
	try(func() { m["x"] = 1 })     // line 20
	try(func() { panic("boom") })  // line 21
	try(func() { panic(&own{7}) }) // line 22
	try(func() {
		panic(fmt.Errorf("outer: %w", &fs.PathError{Op: "open", Path: "/x", Err: fs.ErrNotExist})) // line 24
	})
	panic(fmt.Errorf("last: %w", errors.Join(errors.New("first"), &own{9}))) // line 26
}
`

// Each panic stops in the program's own line with its value, also one that is recovered; the last one stops twice.
func TestLiveRecoveredPanics(t *testing.T) {
	c := liveDelve(t)
	file := writeGo(t, t.TempDir(), panicsText)
	c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "*"})
	c.Do("debug_launch", mcptest.Args{"program": file})
	for i, want := range []struct {
		line    int
		message string
		first   bool
	}{
		{20, `"assignment to entry in nil map"`, true},
		{21, `"boom"`, true},
		{22, `*main.own {code: 7}`, true},
		{24, `outer: open /x`, true},
		{26, `last: first`, true},
		{26, `last: first`, false},
	} {
		r := next(c)
		require.Equal(t, "exception", r.String("reason"), "%s", r.Raw)
		require.Equal(t, i+1, r.Int("stop.hitCount"))
		require.Equal(t, want.line, r.Int("stop.location.line"), "%s", r.Raw)
		require.Contains(t, r.String("stop.exception.message"), want.message)
		require.Equal(t, want.first, r.Bool("stop.exception.isFirstChance"))
		var about struct {
			InnerExceptions []struct{ Type, Message string }
		}
		c.Do("exception_get_context", mcptest.Args{"include_variables_for_frames": 0}).Into(&about)
		var inner []string
		for _, e := range about.InnerExceptions {
			inner = append(inner, e.Type+": "+e.Message)
		}
		switch want.line {
		case 24:
			require.Len(t, inner, 2)
			require.Contains(t, inner[0], `*io/fs.PathError: {Op: "open", Path: "/x", Err: `)
			require.Equal(t, "*errors.errorString: file does not exist", inner[1])
		case 26:
			require.Len(t, inner, 3)
			require.Contains(t, inner[0], "*errors.joinError: ")
			require.Equal(t, []string{"*errors.errorString: first", "*main.own: {code: 9}"}, inner[1:])
		default:
			require.Empty(t, inner)
		}
	}
	r := c.Do("exception_get_context", mcptest.Args{"max_inner_exceptions": 1})
	require.Equal(t, 1, r.Len("innerExceptions"), "%s", r.Raw)
	require.Contains(t, r.Strings("partial"), "innerExceptions: only the first 1")
	require.Equal(t, 2, next(c).Int("session.exitCode"))
}

// A deadlock and a pause in the runtime name the program's own line, and tools look at its frame.
func TestLiveGoWaits(t *testing.T) {
	const waits = "package main\n\nimport (\n\t\"os\"\n\t\"sync\"\n\t\"time\"\n)\n\nfunc main() {\n\tn := 7\n" +
		"\tfor len(os.Args) > 1 {\n\t\ttime.Sleep(time.Millisecond) // line 12\n\t\tn = 7\n\t}\n\tvar wg sync.WaitGroup\n" +
		"\twg.Add(1)\n\twg.Wait() // line 17\n\tprintln(n)\n}\n"
	file := writeGo(t, t.TempDir(), waits)
	for _, tc := range []struct {
		reason string
		args   []string
		line   int
	}{{"exception", nil, 17}, {"pause", []string{"sleep"}, 12}} {
		c := liveDelve(t)
		r := c.Do("debug_launch", mcptest.Args{"program": file, "args": tc.args, "stop_at_entry": false})
		if tc.reason == "pause" {
			r = c.Do("debug_pause", nil)
			for r.Int("stop.location.line") != tc.line { // it was not asleep
				c.Do("debug_continue", nil)
				r = c.Do("debug_pause", nil)
			}
		} else {
			r = c.Settled(r)
		}
		require.Equal(t, tc.reason, r.String("stop.reason"), "%s", r.Raw)
		require.Equal(t, tc.line, r.Int("stop.location.line"), "%s", r.Raw)
		require.Equal(t, file, r.String("stop.location.file"))
		require.Equal(t, "7", c.Do("evaluate", mcptest.Args{"expression": "n"}).String("value"))
		require.Equal(t, r.Int("stop.frameIndex"), c.Do("variables_get", nil).Int("frameIndex"))
	}
}
