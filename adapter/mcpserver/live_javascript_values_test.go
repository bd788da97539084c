package mcpserver_test

import (
	"path/filepath"
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

// Listing an object runs no getter of it, also where the getter never ends.
func TestLiveJavaScriptGetters(t *testing.T) {
	folder := writeFiles(t, map[string]string{"g.js": "let runs = 0;\nconst o = { a: 1, get h() { for (;;); }, " +
		"get n() { return ++runs; }, get s() { return 's'; } };\nconsole.log(o.a, runs);\n"})
	c := javascript(t)
	file := filepath.Join(folder, "g.js")
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": 3})
	c.Do("debug_launch", mcptest.Args{"program": file, "stop_at_entry": false, "wait": true})
	for range 2 {
		r := c.Do("variables_get", mcptest.Args{"expand": "o"})
		require.Equal(t, 4, r.Len("variables"), "%s", r.Raw)
		require.Equal(t, "(getter)", r.String("variables.1.value"))
	}
	require.Equal(t, "0", c.Do("evaluate", mcptest.Args{"expression": "runs"}).String("value"))
	require.Equal(t, "'s'", c.Do("variables_get", mcptest.Args{"expand": "o.s"}).String("variables.0.value"))
	r := c.Refused(fault.EvalFailed, "variable_set", mcptest.Args{"name": "this", "value": "4"})
	require.Contains(t, r.String("error.message"), "set a member")
	require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
}

// A variable that the compiled code calls differently is set and assigned by its name in the source.
func TestLiveJavaScriptRenamed(t *testing.T) {
	folder := writeFiles(t, map[string]string{
		"package.json": "{}",
		"src/app.ts": "function compute(price: number, count: number): number {\n  let discount = 0.1;\n" +
			"  const fixed = 7;\n" +
			"  const result = price * count * (1 - discount);\n  return result + fixed;\n}\n" +
			"for (let index = 0; index < 3; index++) {\n  console.log(compute(10, index));\n}\n",
		"dist/app.js": "function t(e,n){return e*n*(1-.1)+7}for(let e=0;e<3;e++)console.log(t(10,e));\n" +
			"//# sourceMappingURL=app.js.map\n",
		"dist/app.js.map": `{"version": 3, "sources": ["../src/app.ts"], "mappings": "AAAA,SAASA,EAAQC,EAAeC,` +
			`EAAuB,CAIrD,OADeD,EAAQC,GAAS,EAFjB,IACD,CAGhB,CACA,QAASC,EAAQ,EAAGA,EAAQ,EAAGA,IAC7B,QAAQ,` +
			`IAAIH,EAAQ,GAAIG,CAAK,CAAC", "names": ["compute", "price", "count", "index"]}`,
	})
	c := javascript(t)
	c.Do("breakpoint_set", mcptest.Args{"file": filepath.Join(folder, "src", "app.ts"), "line": 1})
	stop := c.Do("debug_launch", mcptest.Args{"program": filepath.Join(folder, "dist", "app.js"), "stop_at_entry": false,
		"wait": true})
	require.Equal(t, "10", stop.String("stop.locals.price"), "%s", stop.Raw)
	r := c.Do("variable_set", mcptest.Args{"name": "count", "value": "100"})
	require.Equal(t, "100", r.String("variable.value"), "%s", r.Raw)
	value := func(expression string) string {
		return c.Do("evaluate", mcptest.Args{"expression": expression}).String("value")
	}
	require.Equal(t, "100", value("count"))
	require.Equal(t, "50", value("count = 50"))
	require.Equal(t, "51", value("++count"))
	require.Equal(t, "61", value("count += price"))
	require.Equal(t, "true", value("count == 61"))
	c.Refused(fault.EvalFailed, "variable_set", mcptest.Args{"name": "count", "value": "nothing.there"})
	require.Equal(t, "61", value("count"))
	c.Do("breakpoint_remove", mcptest.Args{"id": "bp-1"})
	c.Do("debug_continue", mcptest.Args{"wait": true})
	require.Contains(t, c.Do("process_read_output", mcptest.Args{"tail_lines": 9}).String("stdout"), "556\n16\n25\n")
}
