package mcpserver_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

// atJavaScriptValues stops values.js where all its values are there.
func atJavaScriptValues(t *testing.T) *mcptest.Client {
	c := javascript(t)
	file := fixtures.Program("js", "values.js")
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": fixtures.MarkIn(t, file, "all") - 1})
	r := c.Do("debug_launch", mcptest.Args{"program": file, "stop_at_entry": false, "wait": true})
	require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	return c
}

// Values as a person reads them, without what only the engine needs.
func TestLiveJavaScriptValues(t *testing.T) {
	c := atJavaScriptValues(t)
	list := c.Do("variables_get", mcptest.Args{"count": 100})
	shown := map[string]string{}
	for i := range list.Len("variables") {
		x := list.At("variables." + strconv.Itoa(i))
		shown[x.String("name")] = x.String("type") + " " + x.String("scope") + " " + x.String("value")
	}
	for name, want := range map[string]string{
		"account": "Account local Account {#secret: 42, id: 1, name: 'Ann', when: 1970-01-01T00:00:00Z}",
		"map":     "Map local Map(3) {a => 1, {o: 1} => by object, inner => Map(1) {…}}",
		"set":     "Set local Set(3) {two, {o: 1}, null}",
		"none":    "Map local Map(0) {}",
		"bytes":   "Buffer local Buffer(5) [104, 101, 108, 108, 111]",
		"date":    "Date local 2026-11-30T01:02:03.004Z",
		"pattern": "RegExp local /a+b/gi",
		"error":   "TypeError local TypeError: outer",
		"symbols": "Object local {plain: undefined, Symbol(tag): 1}",
		"large":   "bigint local 12345678901234567890n",
		"pending": "Promise local Promise {<pending>}",
		"done":    "Promise local Promise {<fulfilled>: 7}",
		"proxy":   "Object local Proxy(Object) {a: 1}",
		"bare":    "Object local {a: 1}",
		"tick":    "Function local ƒ tick(by)",
		"Account": "Function closure class Account extends Base",
	} {
		require.Equal(t, want, shown[name])
	}
	members := func(path string) (all []string) {
		r := c.Do("variables_get", mcptest.Args{"expand": path})
		for i := range r.Len("variables") {
			x := r.At("variables." + strconv.Itoa(i))
			all = append(all, x.String("name")+"="+x.String("value"))
		}
		return all
	}
	for path, want := range map[string][]string{
		"account": {"broken=(getter)", "doubled=(getter)", "id=1", "name='Ann'", "when=1970-01-01T00:00:00.004Z",
			"#secret=42"},
		"account.doubled": {"doubled=2"},
		"account.broken":  {"broken=threw RangeError: no such thing"},
		"map":             {"'a'=1", "{o: 1}='by object'", "'inner'=Map(1) {x => Map(1) {…}}"},
		"registry":        {"owner='Ann'", "'k'=5"},
		"set":             {"[0]='two'", "[1]={o: 1}", "[2]=null"},
		"bytes":           {"[0]=104", "[1]=101", "[2]=108", "[3]=108", "[4]=111"},
		"none":            nil,
		"sparse":          {"[0]=1", "[1]=<empty>", "[2]=3"},
		"proxy":           {"[[Handler]]=Object", "[[Target]]=Object"},
		"weak":            {"[[Entries]]=Array(1)"},
		"bare":            {"a=1"},
	} {
		require.Equal(t, want, members(path), "%s", path)
	}
	// A getter is one before its object was listed, and again.
	other := atJavaScriptValues(t)
	for range 2 {
		r := other.Do("variables_get", mcptest.Args{"expand": "account.doubled"})
		require.Equal(t, "2", r.String("variables.0.value"), "%s", r.Raw)
	}
	// A Map in a Map in a Map, by the paths that are told.
	require.Equal(t, []string{"'x'=Map(1) {1 => 2}"}, members("map.get('inner')"))
	require.Equal(t, []string{"1=2"}, members("map.get('inner').get('x')"))
	require.Equal(t, "9999", c.Do("variables_get", mcptest.Args{"expand": "long", "start": 9999}).
		String("variables.0.value"))
	page := c.Do("variables_get", mcptest.Args{"expand": "big", "start": 9998, "count": 2})
	require.Equal(t, []string{"'k9999'", "{n: 9999}"},
		[]string{page.String("variables.1.name"), page.String("variables.1.value")})
	require.Equal(t, 10, c.Do("variables_get", mcptest.Args{"expand": "text"}).Int("total"))
}

func TestLiveJavaScriptCollections(t *testing.T) {
	c := atJavaScriptValues(t)
	for expression, want := range map[string]string{
		"map": "Dictionary", "registry": "Dictionary", "set": "Set", "none": "Dictionary", "bytes": "Array",
		"long": "List", "big": "Dictionary",
	} {
		r := c.Do("collection_analyze", mcptest.Args{"expression": expression})
		require.Equal(t, want, r.String("summary.kind"), "%s: %s", expression, r.Raw)
	}
	r := c.Do("collection_analyze", mcptest.Args{"expression": "bytes"})
	require.Equal(t, "106.4", r.String("summary.numericStats.average"), "%s", r.Raw)
	r = c.Do("collection_analyze", mcptest.Args{"expression": "map"})
	require.Equal(t, "{o: 1}", r.String("summary.keyValuePairs.1.key"))
	c.Refused(fault.NotCollection, "collection_analyze", mcptest.Args{"expression": "account"})
	r = c.Do("object_summarize", mcptest.Args{"expression": "symbols"})
	require.Equal(t, "plain", r.String("summary.nullFields.0"), "%s", r.Raw)
}

// await: the program is paused, but a promise may have its result already.
func TestLiveJavaScriptEvaluate(t *testing.T) {
	c := atJavaScriptValues(t)
	require.Equal(t, "7", c.Do("evaluate", mcptest.Args{"expression": "await done"}).String("value"))
	e := c.Refused(fault.EvalFailed, "evaluate", mcptest.Args{"expression": "await pending"})
	require.Contains(t, e.String("error.message"), "pending")
	e = c.Refused(fault.EvalFailed, "evaluate", mcptest.Args{"expression": "await Promise.reject(new Error('no'))"})
	require.Contains(t, e.String("error.message"), "rejected: Error: no")
	require.Equal(t, "TypeError: outer", c.Do("evaluate", mcptest.Args{"expression": "error"}).String("value"))
	require.Equal(t, "2", c.Do("evaluate", mcptest.Args{"expression": "account.doubled", "safe": true}).String("value"))
	for _, unsafe := range []string{"map.get('a')", "account.id = 5", "await done", "delete account.id", "tick(1)"} {
		c.Refused(fault.EvalRejected, "evaluate", mcptest.Args{"expression": unsafe, "safe": true})
	}
}
