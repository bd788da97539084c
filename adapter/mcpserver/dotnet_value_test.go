package mcpserver_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
	"breakwire/mapping"
)

// doubles are what netcoredbg answers about doubles: 16 digits, and the distance to what it shows.
func doubles() map[string]daptest.Var {
	found := daptest.Var{Value: "{System.Reflection.RtFieldInfo}", Type: "System.Reflection.RtFieldInfo"}
	double := func(value string) daptest.Var { return daptest.Var{Value: value, Type: "double"} }
	values := map[string]daptest.Var{
		"a": double("0.3"), "a - 3E-01d": double("5.551115123125783e-17"),
		"half": double("0.5"), "changing": double("0.3"), "changing - 3E-01d": double("1.2"),
		"f": {Value: "33.333332", Type: "float"}, "f + 0d": double("33.33333206176758"),
		"meter":         {Value: "{App.Meter}", Type: "App.Meter", Children: fields},
		"meter.Counted": double("1.2"),
		"meter.Auto":    double("0.3"), "meter.Auto - 3E-01d": double("5.551115123125783e-17"),
		`meter.GetType().GetDeclaredField("<Auto>k__BackingField")`: found,
		"Twice(a)":          double("0.3"),
		"span":              {Value: "{System.TimeSpan}", Type: "System.TimeSpan", Children: fields},
		"span.TotalSeconds": double("1.2"), "System.Math.Sqrt(a)": double("1.3"),
	}
	for _, name := range []string{"a", "half", "changing", "f", "meter", "span"} {
		values[`this.GetType().GetDeclaredField("`+name+`")`] = found
	}
	return values
}

// netcoredbg shows a double with 16 digits. The rest is asked for, unless that would run code of the program again.
func TestDotnetDoubles(t *testing.T) {
	m, f := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), knowing(doubles()))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
	c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
	for _, tt := range []struct{ text, value, safe string }{
		{"a", "0.30000000000000004", "0.30000000000000004"},
		{"f", "33.333332", "33.333332"},
		{"half", "0.5", "0.5"},
		{"changing", "0.3…", "0.3…"},
		{"meter.Counted", "1.2…", "1.2"}, // safe: a getter may run again, it does in every listing
		{"meter.Auto", "0.30000000000000004", "0.30000000000000004"},
		{"Twice(a)", "0.3…", ""},
		{"span.TotalSeconds", "1.2", "1.2"},
		{"System.Math.Sqrt(a)", "1.3", ""},
	} {
		for _, safe := range []bool{false, true} {
			want := tt.value
			if safe {
				want = tt.safe
			}
			r := c.Call("evaluate", mcptest.Args{"expression": tt.text, "safe": safe})
			assert.Equal(t, want, r.String("value"), "%s", r.Raw)
			if r.Bool("success") {
				assert.Equal(t, strings.HasSuffix(want, "…"), r.Bool("truncated"), "%s", r.Raw)
			}
		}
	}
	runs := 0
	for _, request := range f.Last().Requests("evaluate") {
		asked := string(request.Arguments)
		if strings.Contains(asked, "Twice(a)") || strings.Contains(asked, `"meter.Counted`) {
			runs++
		}
	}
	assert.Equal(t, 4, runs, "code of the program ran again") // once of Twice; of Counted once, and twice with safe
}

func TestDotnetDoublesInMessages(t *testing.T) {
	m, _ := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), knowing(doubles()))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	id := c.Do("tracepoint_set", mcptest.Args{"file": loopFile, "line": 11,
		"log_message": "{a} {f} {half} {meter.Counted} {meter.Auto} {Twice(a)} {System.Math.Sqrt(a)}"}).
		String("breakpoint.id")
	runToEnd(t, c)
	assert.Equal(t, []string{"0.30000000000000004 33.333332 0.5 1.2… 0.30000000000000004 0.3… 1.3"}, messages(c, id))
}

// valuesApp is the real netcoredbg, stopped in a part of ValuesApp at its mark.
func valuesApp(t *testing.T, part string) *mcptest.Client { return dotnetApp(t, "ValuesApp", part) }

// dotnetApp is the real netcoredbg, stopped in a part of a program at its mark.
func dotnetApp(t *testing.T, app, part string) *mcptest.Client {
	fixtures.Netcoredbg(t)
	program := fixtures.DotnetProgram(app)
	here := filepath.Dir(filepath.Dir(filepath.Dir(program)))
	maps, err := mapping.ParsePathMap("/src=" + here)
	require.NoError(t, err)
	c := mcptest.Serve(t, adapter.NewManager(adapter.Options{PathMap: maps, TraceTimeout: mcptest.Patience}),
		mcpserver.Options{})
	source := filepath.Join(here, app, "Program.cs")
	text, err := os.ReadFile(source)
	require.NoError(t, err)
	before, _, marked := strings.Cut(string(text), "// mark: "+part+"\n")
	if marked {
		c.Do("breakpoint_set", mcptest.Args{"file": source, "line": strings.Count(before, "\n") + 1})
	}
	r := c.Do("debug_launch", mcptest.Args{"program": program, "args": []string{part}, "stop_at_entry": false})
	if r.String("session.state") == "running" {
		c.Do("breakpoint_wait", nil)
	}
	return c
}

func TestLiveNetcoredbgDoubles(t *testing.T) {
	c := valuesApp(t, "doubles")
	shown := map[string]string{}
	list := func(args mcptest.Args) {
		for _, v := range c.Do("variables_get", args).Get("variables").([]any) {
			v := v.(map[string]any)
			shown[v["path"].(string)] = v["value"].(string)
		}
	}
	list(nil)
	for _, path := range []string{"array", "list", "meter", "map"} {
		list(mcptest.Args{"expand": path})
	}
	for path, want := range map[string]string{
		"a": "0.30000000000000004", "b": "0.3", "max": "1.7976931348623157E+308", "third": "-0.3333333333333333",
		"nan": "NaN", "single": "5592405.5", "maybe": "0.30000000000000004", "boxed": "0.30000000000000004",
		"array[0]": "0.30000000000000004", "array[1]": "0.3", "list[1]": "0.30000000000000004",
		"meter.Field": "0.30000000000000004", "meter.Auto": "0.30000000000000004",
		"pair": "(0.30000000000000004, 0.3)",
	} {
		assert.Equal(t, want, shown[path], path)
	}
	before := c.Do("evaluate", mcptest.Args{"expression": "meter.Read"}).String("value")
	for text, want := range map[string]string{
		"a": "0.30000000000000004", "a * 3": "0.9000000000000001", "list[1]": "0.30000000000000004",
		"meter.Auto + 1": "1.3", "Twice(a) + 1": "1.6…", "boxed": "0.30000000000000004",
		"maybe.Value": "0.30000000000000004", "meter.Counted": "1.2…",
	} {
		assert.Equal(t, want, c.Do("evaluate", mcptest.Args{"expression": text}).String("value"), text)
	}
	after := c.Do("evaluate", mcptest.Args{"expression": "meter.Read"}).String("value")
	assert.Equal(t, atoi(t, before)+1, atoi(t, after), "the getter ran twice for one evaluate")
	c.Do("snapshot_create", nil)
	c.Do("variable_set", mcptest.Args{"path": "b", "value": "a"})
	c.Do("snapshot_create", nil)
	r := c.Do("snapshot_diff", mcptest.Args{"snapshot_id_1": "snap-1", "snapshot_id_2": "snap-2"})
	require.Equal(t, 1, r.Int("diff.summary.modified"), "%s", r.Raw)
	assert.Equal(t, "0.30000000000000004", r.String("diff.modified.0.newValue"), "%s", r.Raw)
}

// What netcoredbg's exceptionInfo leaves out is read from $exception.
func TestLiveNetcoredbgExceptions(t *testing.T) {
	// On a slow machine a read may say that something is missing.
	whole := func(c *mcptest.Client, args mcptest.Args) mcptest.Result {
		r := c.Do("exception_get_context", args)
		for end := time.Now().Add(mcptest.Patience); r.Has("partial") && time.Now().Before(end); {
			r = c.Do("exception_get_context", args)
		}
		return r
	}
	c := valuesApp(t, "aggregate")
	r := whole(c, mcptest.Args{"max_inner_exceptions": 20})
	assert.Equal(t, "One or more errors occurred. (first) (group (second) (third)) (last)",
		r.String("exception.message"))
	var told []string
	for i := range r.Len("innerExceptions") {
		told = append(told, r.String("innerExceptions."+strconv.Itoa(i)+".message"))
		path := r.String("innerExceptions." + strconv.Itoa(i) + ".path")
		assert.Equal(t, r.String("innerExceptions."+strconv.Itoa(i)+".type"),
			c.Do("evaluate", mcptest.Args{"expression": path}).String("type"))
	}
	assert.Equal(t, []string{"first", "why", "group (second) (third)", "second", "third", "last"}, told)
	c.Do("debug_disconnect", nil)

	c = valuesApp(t, "fields")
	members := map[string]string{}
	for _, v := range whole(c, nil).Get("exception.members").([]any) {
		v := v.(map[string]any)
		members[v["path"].(string)] = v["value"].(string)
	}
	assert.Equal(t, map[string]string{"$exception.OrderId": "42", "$exception.Codes": "Count = 2",
		"$exception.Rate": "0.30000000000000004", "$exception.Delay": "01:30:00"}, members)
	c.Do("debug_disconnect", nil)

	c = valuesApp(t, "long")
	assert.GreaterOrEqual(t, len(c.Do("exception_get_context", nil).String("exception.message")), 1024)
}

func atoi(t *testing.T, text string) int {
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}
