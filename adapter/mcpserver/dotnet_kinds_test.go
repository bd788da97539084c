package mcpserver_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
)

func cell(values ...string) (out []daptest.Var) {
	for i, v := range values {
		out = append(out, daptest.Var{Name: "[" + itoa(i) + "]", Value: v, Type: "x"})
	}
	return out
}

// kinds are fields of objects of the runtime, as netcoredbg has them.
func kinds() map[string]daptest.Var {
	object := func(typ string) daptest.Var { return daptest.Var{Value: "{" + typ + "}", Type: typ, Children: fields} }
	number := func(value string) daptest.Var { return daptest.Var{Value: value, Type: "int"} }
	null := daptest.Var{Value: "null", Type: "object"}
	bytes := func(text string) (out []daptest.Var) {
		for _, b := range []byte(text) {
			out = append(out, cell(itoa(int(b)))...)
		}
		return out
	}
	json := `{"a": [1]}`
	rows := []daptest.Var{}
	for _, b := range "\x06\x00\x00\x00\xff\xff\xff\xff\x02\x00\x00\x30" +
		"\x07\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x80" +
		"\x08\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x40" {
		rows = append(rows, cell(itoa(int(b)))...)
	}
	return map[string]daptest.Var{
		"text": object("System.Text.StringBuilder"), "text.m_ChunkOffset": number("2"), "text.m_ChunkLength": number("1"),
		"text.m_ChunkChars":                  {Value: "{char[2]}", Type: "char[]", Children: cell("99 'c'", "0 '\\0'")},
		"text.m_ChunkPrevious":               object("System.Text.StringBuilder"),
		"text.m_ChunkPrevious.m_ChunkLength": number("2"),
		"text.m_ChunkPrevious.m_ChunkChars":  {Value: "{char[2]}", Type: "char[]", Children: cell("97 'a'", "34 '\"'")},
		"big":                                object("System.Numerics.BigInteger"), "big._sign": number("-1"),
		"big._bits": {Value: "{uint[2]}", Type: "uint[]", Children: cell("0", "1")},
		"item":      object("System.Text.Json.JsonElement"), "item._idx": number("0"),
		"item._parent":                   object("System.Text.Json.JsonDocument"),
		"item._parent._parsedData":       object("System.Text.Json.JsonDocument.MetadataDb"),
		"item._parent._parsedData._data": {Value: "{byte[36]}", Type: "byte[]", Children: rows},
		"item._parent._utf8Json":         object("System.ReadOnlyMemory<byte>"),
		"item._parent._utf8Json._object": {Value: "{byte[10]}", Type: "byte[]", Children: bytes(json)},
		"item._parent._utf8Json._index":  number("0"),
		"unset":                          object("System.Text.Json.JsonElement"), "unset._parent": null,
		"lazy": object("System.Lazy<int>"), "lazy._state": object("System.LazyHelper"),
		"made": object("System.Lazy<int>"), "made._state": null, "made._value": number("5"),
		"done":              object("System.Threading.Tasks.Task<int>"),
		"done.m_stateFlags": number("16777216"), "done.m_result": number("42"),
		"plain": object("System.Threading.Tasks.Task"), "plain.m_stateFlags": number("33555456"),
		"list":       object("System.Collections.Immutable.ImmutableArray<int>"),
		"list.array": {Value: "{int[2]}", Type: "int[]", Children: cell("7", "8")},
		"none":       object("System.Collections.Immutable.ImmutableArray<int>"), "none.array": null,
		"version": object("System.Version"), "version._Major": number("1"),
		"version._Minor": number("2"), "version._Build": number("-1"),
		"sorted":      object("System.Collections.Generic.SortedDictionary<string, int>"),
		"sorted._set": object("System.Collections.Generic.TreeSet"), "sorted._set.count": number("2"),
		"sorted._set.root": {Value: "{Node}", Type: "Node", Children: []daptest.Var{
			{Name: "Item", Value: "{Pair}", Type: "Pair", Children: []daptest.Var{{Name: "key", Value: `"b"`, Type: "string"},
				{Name: "value", Value: "2", Type: "int"}}},
			{Name: "Left", Value: "{Node}", Type: "Node", Children: []daptest.Var{
				{Name: "Item", Value: "{Pair}", Type: "Pair", Children: []daptest.Var{{Name: "key", Value: `"a"`, Type: "string"},
					{Name: "value", Value: "1", Type: "int"}}},
				{Name: "Left", Value: "null", Type: "Node"}, {Name: "Right", Value: "null", Type: "Node"}}},
			{Name: "Right", Value: "null", Type: "Node"}}},
	}
}

// Objects of the runtime are shown as a person reads them, from their fields: no function of the program runs.
func TestDotnetKinds(t *testing.T) {
	m, f := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), knowing(kinds()))
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set", mcptest.Args{"file": loopFile, "line": 10})
	c.Settled(c.Do("debug_launch", mcptest.Args{"program": "/x", "stop_at_entry": false}))
	for text, want := range map[string]string{
		"text": `"a\"c"`, "big": "-4294967296", "item": `[1]`, "unset": "undefined", "lazy": "IsValueCreated = false",
		"made": "Value = 5", "done": "Status = RanToCompletion, Result = 42", "plain": "Status = WaitingForActivation",
		"list": "Count = 2", "none": "Count = 0", "version": "1.2", "sorted": "Count = 2",
	} {
		assert.Equal(t, want, c.Do("evaluate", mcptest.Args{"expression": text}).String("value"), text)
	}
	for path, want := range map[string]string{"list": "[0] 7, [1] 8", "none": "", "sorted": `["a"] 1, ["b"] 2`} {
		var got []string
		r := c.Do("variables_get", mcptest.Args{"expand": path})
		for i := range r.Len("variables") {
			at := "variables." + itoa(i) + "."
			got = append(got, r.String(at+"name")+" "+r.String(at+"value"))
		}
		assert.Equal(t, want, strings.Join(got, ", "), path)
	}
	for _, request := range f.Last().Requests("evaluate") {
		assert.NotContains(t, string(request.Arguments), "()")
	}
}

func TestLiveNetcoredbgKinds(t *testing.T) {
	c := dotnetApp(t, "KindsApp", "kinds")
	for text, want := range map[string]string{
		"few": `"say \"hi\"\n"`, "none": `""`, "immutable": "Count = 3", "unset": "Count = 0", "ilist": "Count = 3",
		"sorted": "Count = 3", "sortedSet": "Count = 3", "sortedList": "Count = 2", "linked": "Count = 2",
		"big": "1000000000000000000000000000007", "negative": "-1180591620717411303424", "small": "42", "zero": "0",
		"offset": "2024-02-29T13:45:30+02:00",
		"root":   `{"name": "Ann", "tags": [1, 2.5, null, true], "o": {"x": "\u00e4"}}`,
		"tags":   "[1, 2.5, null, true]", "first": "1", "name": `"Ann"`,
		"done": "Status = RanToCompletion, Result = 42", "waiting": "Status = WaitingForActivation",
		"failed": "Status = Faulted, Exception = System.InvalidOperationException: broken",
		"lazy":   "IsValueCreated = false", "made": `Value = "made"`, "pair": `(1, "one")`,
		"nested": `(2, ("in", Green))`, "eight": "(1, 2, 3, 4, 5, 6, 7, 8, 9)", "stats": "(3, 0.30000000000000004)",
		"person": `Person { Name = "Bo", Age = 41 }`, "spot": "Spot { X = 3, Y = 4 }", "derived": `"hi"`,
		"order": "Order 7: 2 items, Ann {paid} {Total()}",
		"when":  "2024-02-29T13:45:30", "wait": "01:30:00", "far": "2024-02-29T13:45:30+02:00", "never": "null",
		"id": "00112233-4455-6677-8899-aabbccddeeff", "price": "1.50", "color": "Green", "third": "0.3333333333333333",
		"single": "0.33333334", "entry": `["k", 1]`, "version": "1.2.3", "uri": `"https://example.com/a?b=c"`,
	} {
		r, end := c.Do("evaluate", mcptest.Args{"expression": text}), time.Now().Add(mcptest.Patience)
		for r.Bool("truncated") && time.Now().Before(end) {
			r = c.Do("evaluate", mcptest.Args{"expression": text})
		}
		assert.Equal(t, want, r.String("value"), text)
	}
	for path, want := range map[string]string{
		"immutable": "[0] 1, [1] 2, [2] 3", "ilist": `[0] "a", [1] "b", [2] "c"`, "sorted": `["a"] 1, ["b"] 2, ["c"] 3`,
		"sortedSet": "[0] 1, [1] 2, [2] 3", "sortedList": `["x"] 1, ["y"] 2`, "linked": "[0] 5, [1] 6",
		"maybeSize": `Width 3, Height 0.30000000000000004, Price 2.50, Unit "cm"`,
	} {
		var parts []string
		for start, more := 0, true; more; {
			r := c.Do("variables_get", mcptest.Args{"expand": path, "start": start})
			for i := range r.Len("variables") {
				at := "variables." + itoa(i) + "."
				parts = append(parts, r.String(at+"name")+" "+r.String(at+"value"))
			}
			start = r.Int("next")
			more = start > 0
		}
		got := strings.Join(parts, ", ")
		assert.Equal(t, want, got, path)
	}
	r := c.Call("variable_set", mcptest.Args{"path": `dictionary["a"].Width`, "value": "7"})
	assert.Contains(t, r.String("error.message"), "returns a copy", "%s", r.Raw)
	for path, value := range map[string]string{"sizes[1].Width": "8", "numbers[1]": "11", "pair.Item1": "4",
		"size.Unit": `"mm"`, "size.Price": "3.5", "grid[1, 1]": "9"} {
		r := c.Do("variable_set", mcptest.Args{"path": path, "value": value})
		assert.Equal(t, value, r.String("variable.value"), path)
	}
}
