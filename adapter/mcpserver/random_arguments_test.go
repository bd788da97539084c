package mcpserver_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

// schemaNode has the parts of a tool's input schema that are needed to make arguments.
type schemaNode struct {
	Type       string                `json:"type"`
	Enum       []string              `json:"enum"`
	Properties map[string]schemaNode `json:"properties"`
	Items      *schemaNode           `json:"items"`
	Required   []string              `json:"required"`
}

// strangeTexts and strangeNumbers are values for arguments: valid ones, and ones that have caused faults.
var (
	strangeTexts = []string{
		"", "i", "i == 3", "i > ", "(", "٣", "\x00", "😀", "null", "-1", "1e999", "../../etc/passwd", "/etc/passwd",
		loopFile, "file://" + loopFile, "s1", "s2", "bp-1", "tp-2", "snap-1",
		"{i}", "{", "}", "{{", "%s%n", "square", "i[0]", "i.foo.bar", "Main", "*", "[a-", "(?P<", "\\", "\n", "true",
		"System.Exception", "node", "name.Length", "a ? b : c", "x => x",
	}
	strangeNumbers = []any{0, 1, 2, -1, 3, 10, 11, 100, 65535, int64(1) << 31, int64(1) << 53, int64(-1) << 63,
		uint64(1) << 63, 0.5, 1e300}
)

// at makes a value by its schema, and sometimes one that the schema does not allow.
func (n schemaNode) at(r *rand.Rand) any {
	if r.IntN(10) == 0 {
		return []any{nil, []any{}, map[string]any{}, true, "x", 5, []any{[]any{}}}[r.IntN(7)]
	}
	switch n.Type {
	case "integer", "number":
		return strangeNumbers[r.IntN(len(strangeNumbers))]
	case "boolean":
		return r.IntN(2) == 0
	case "array":
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = n.Items.at(r)
		}
		return list
	case "object":
		object := map[string]any{}
		for _, name := range sortedKeys(n.Properties) {
			if slices.Contains(n.Required, name) && r.IntN(10) > 0 || r.IntN(3) == 0 {
				object[name] = n.Properties[name].at(r)
			}
		}
		return object
	}
	if len(n.Enum) > 0 && r.IntN(6) > 0 {
		return n.Enum[r.IntN(len(n.Enum))]
	}
	return strangeTexts[r.IntN(len(strangeTexts))]
}

func sortedKeys(m map[string]schemaNode) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Whatever the arguments, each tool answers in time, with a result or an error that is the user's or the debugger's,
// never an internal one.
func TestRandomArguments(t *testing.T) {
	eachBackend(t, func(t *testing.T, profile string, shape daptest.Shape) {
		m, fakes := mcptest.Fake(t, profile, shape, refusing(40))
		c := mcptest.Serve(t, m, mcpserver.Options{})
		var listed struct {
			Tools []struct {
				Name        string     `json:"name"`
				InputSchema schemaNode `json:"inputSchema"`
			} `json:"tools"`
		}
		require.NoError(t, json.Unmarshal(c.Request("tools/list", nil).Result, &listed))
		r := rand.New(rand.NewPCG(uint64(len(profile)), 11))
		start := func() {
			c.Do("breakpoint_remove", mcptest.Args{"all": true})
			c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
			c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
		}
		start()
		answered := map[string]int{}
		for range 1500 {
			tool := listed.Tools[r.IntN(len(listed.Tools))]
			switch tool.Name {
			case "debug_attach": // it must not attach to a real process
				continue
			case "debug_disconnect", "debug_launch", "debug_restart":
				if r.IntN(4) > 0 {
					continue
				}
			}
			args, _ := tool.InputSchema.at(r).(map[string]any)
			for name := range args {
				switch {
				case name == "session_id" && r.IntN(8) > 0, name == "pre_build", name == "configuration":
					delete(args, name)
				case name == "timeout_ms":
					args[name] = 1 + r.IntN(50)
				}
			}
			if _, waits := tool.InputSchema.Properties["timeout_ms"]; waits && args != nil {
				args["timeout_ms"] = 1 + r.IntN(50)
			}
			result := c.AwaitCallWithin(c.BeginCall(tool.Name, args), 30*time.Second)
			code := fault.Code(result.String("error.code"))
			answered[string(code)]++
			if code == fault.Internal {
				require.True(t, result.Has("error.details.backendMessage"), "%s %v: %s", tool.Name, args, result.Raw)
			}
			if code == fault.NoSession || code == fault.SessionAmbiguous {
				for _, s := range m.Live() {
					c.Call("debug_disconnect", mcptest.Args{"session_id": s.ID()})
				}
				start()
			}
		}
		require.Greater(t, answered[""], 300, "%v", answered)
		require.Greater(t, len(answered), 12, "%v", answered)
		require.NotNil(t, fakes.Last())
	})
}
