package mcpserver_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

// What lldb-dap shows as type and address is shown with its members, in lists, answers and messages.
func TestMembersOfNativeValues(t *testing.T) {
	point := daptest.Var{Name: "p", Type: "Pt", Value: "Pt @ 0x7ffe10", Children: []daptest.Var{
		{Name: "x", Type: "double", Value: "3"}, {Name: "name", Type: "const char *", Value: `0x00005555 "two"`},
		{Name: "at", Type: "In", Value: "In @ 0x7ffe20", Children: []daptest.Var{{Name: "q", Type: "int", Value: "1"}}},
	}}
	line := daptest.Step{File: source, Line: 1, Func: "main", Vars: []daptest.Var{point,
		{Name: "s", Type: "std::string", Value: `"a @ 0x12"`}}}
	last := line
	last.Line = 2
	s := serve(t, "lldb-dap", daptest.LLDB(), daptest.Program{
		Threads: []daptest.Thread{{Code: daptest.Lines(line, last)}},
		Eval:    func(c daptest.EvalCall) (daptest.Var, bool) { return point, c.Expression == "p" },
	})
	trace := s.Do("tracepoint_set", mcptest.Args{"file": source, "line": 1, "log_message": "p is {p}, s is {s}"})
	s.breakAt(2)
	s.Settled(s.launch(t))
	const text = `{x: 3, name: "two", at: {q: 1}}`
	r := s.Do("variables_get", nil)
	assert.Equal(t, text, r.String("variables.0.value"), "%s", r.Raw)
	assert.Equal(t, `"a @ 0x12"`, r.String("variables.1.value"))
	assert.Equal(t, text, s.Do("evaluate", mcptest.Args{"expression": "p"}).String("value"))
	r = s.Do("events_query", mcptest.Args{"types": []string{"tracepoint"},
		"breakpoint_id": trace.String("breakpoint.id")})
	assert.Equal(t, `p is {x: 3, name: "two", at: {...}}, s is a @ 0x12`, r.String("events.0.logMessage"), "%s",
		r.Raw)
}

func TestLiveCppMembers(t *testing.T) {
	const text = `#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>
struct Pt { double x, y; };
struct Base { int b = 7; };
struct Node : Base { int id; const char *name; Node *next; Pt at; };
struct Empty {};
union U { int i; char c[4]; };
int main() {
    Node n; n.id = 2; n.name = "two"; n.next = nullptr; n.at = {1, 2};
    Node *h = &n, &r = n;
    Pt grid[2] = {{3, 9}, {4, 16}};
    int table[2][3] = {{1, 2, 3}, {4, 5, 6}}, many[100] = {5};
    std::map<std::string, int> m{{"a", 1}};
    std::vector<Pt> v(500);
    std::optional<int> full{5}, none;
    Empty e; U u{3};
    struct { int q; struct { int r; } in; } anonymous{1, {2}};
    return h->id + r.id + (int)m.size() + (int)v.size() + table[0][0] + many[0] + (int)grid[0].x; // mark: hit
}
`
	file, program := writeCpp(t, text)
	c := liveLLDB(t)
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": fixtures.MarkIn(t, file, "hit")})
	toFirstStop(c, program)
	for expression, want := range map[string]string{
		"*h":   `{b: 7, id: 2, name: "two", next: 0x0000000000000000, at: {x: 1, y: 2}}`,
		"r":    `{b: 7, id: 2, name: "two", next: 0x0000000000000000, at: {x: 1, y: 2}}`,
		"grid": "{{x: 3, y: 9}, {x: 4, y: 16}}", "grid[1]": "{x: 4, y: 16}", "table": "{{1, 2, 3}, {4, 5, 6}}",
		"v": "size=500", "full": "{Value: 5}", "e": "{}", "anonymous": "{q: 1, in: {r: 2}}",
	} {
		r := c.Do("evaluate", mcptest.Args{"expression": expression})
		assert.Equal(t, want, r.String("value"), expression)
	}
	many := c.Do("evaluate", mcptest.Args{"expression": "many"}).String("value")
	assert.True(t, strings.HasPrefix(many, "{5, 0, 0,") && strings.HasSuffix(many, ", ...}"), many)
	r := c.Do("variables_get", mcptest.Args{"expand": "m"})
	assert.Equal(t, `{first: "a", second: 1}`, r.String("variables.0.value"), "%s", r.Raw)
	r = c.Do("variables_get", mcptest.Args{"expand": "v"})
	assert.Equal(t, "{x: 0, y: 0}", r.String("variables.0.value"), "%s", r.Raw)
}

// Containers of the C++ library have their size and elements, a text its bytes behind a NUL, and an object the members
// of its base, by both of LLDB's adapters.
func TestLiveCppLibrary(t *testing.T) {
	const text = `#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>
struct Pt { double x, y; };
struct Base { virtual ~Base() {} int id = 1; };
struct Shop : Base { std::string name = "shop"; Pt at{3, 9}; };
struct Bits { unsigned low : 3, high : 5; bool on : 1; };
int main() {
    std::unordered_map<std::string, int> stock{{"bolt", 7}};
    std::unordered_map<int, int> two{{4, 1}, {5, 6}};
    std::unordered_set<int> ids{1, 2, 3};
    std::unordered_multimap<int, Pt> places{{1, {2, 3}}, {1, {4, 5}}};
    std::vector<int> list{1, 2, 3};
    std::map<int, int> map{{1, 2}, {3, 4}};
    std::string binary("a\0b\"", 4), plain("text"), none;
    std::tuple<int, std::string, Pt, char, bool, long> row{1, "t", {2, 3}, 'c', true, 6};
    std::variant<int, std::string> either = std::string("var");
    int &&moved = 5;
    Shop shop; Base &base = shop; Bits bits{5, 17, true};
    return (int)stock.size() + moved + base.id; // mark: hit
}
`
	file, program := writeCpp(t, text)
	eachLLDB(t, func(t *testing.T, c *mcptest.Client, backend string) {
		c.Do("breakpoint_set", mcptest.Args{"file": file, "line": fixtures.MarkIn(t, file, "hit")})
		c.Settled(c.Do("debug_launch", mcptest.Args{"program": program, "backend": backend, "stop_at_entry": false}))
		for name, want := range map[string]string{
			"stock": "size=1", "two": "size=2", "ids": "size=3", "places": "size=2", "list": "size=3", "map": "size=2",
			"binary": `"a\0b\""`, "plain": `"text"`, "none": `""`, "moved": "5", "either": `{Value: "var"}`,
			"row":  `{1, "t", {x: 2, y: 3}, 'c', true, 6}`,
			"shop": `{id: 1, name: "shop", at: {x: 3, y: 9}}`, "base": `{id: 1, name: "shop", at: {x: 3, y: 9}}`,
			"bits": "{low: 5, high: 17, on: true}",
		} {
			r := c.Do("variables_get", mcptest.Args{"names": []string{name}})
			assert.Equal(t, want, r.String("variables.0.value"), name)
		}
		r := c.Do("variables_get", mcptest.Args{"expand": "stock"})
		assert.Equal(t, `{first: "bolt", second: 7}`, r.String("variables.0.value"), "%s", r.Raw)
		r = c.Do("collection_analyze", mcptest.Args{"expression": "places"})
		assert.Equal(t, 2, r.Int("summary.count"), "%s", r.Raw)
	})
}

// eachLLDB runs a test on lldb-dap and, where it is there, on CodeLLDB.
func eachLLDB(t *testing.T, f func(t *testing.T, c *mcptest.Client, backend string)) {
	t.Run("lldb-dap", func(t *testing.T) { f(t, liveLLDB(t), "lldb-dap") })
	t.Run("codelldb", func(t *testing.T) {
		t.Setenv("CODELLDB_PATH", fixtures.CodeLLDB(t))
		f(t, mcptest.Serve(t, mcptest.Live(t, adapter.Options{}), mcpserver.Options{}), "codelldb")
	})
}

// Rust's library is shown by the formatters of its toolchain. LLDB's error with the discriminants of enums is
// corrected.
func TestLiveRustValues(t *testing.T) {
	const text = `use std::collections::HashMap;
struct Pt { x: f64, y: f64 }
enum Shape { Circle(f64), Text(String), Empty }
fn main() {
    let v = vec![Pt { x: 5.0, y: 6.0 }];
    let s = String::from("hello");
    let part = &s[1..3];
    let some = Some(5);
    let none: Option<i32> = None;
    let text: Option<String> = Some("x".into());
    let no_text: Option<String> = None;
    let good: Result<i32, String> = Ok(3);
    let mut m = HashMap::new();
    m.insert("a".to_string(), 1);
    let circle = Shape::Circle(1.5);
    let named = Shape::Text("t".into());
    let empty = Shape::Empty;
    let binary = "a\0b".to_string();
    let slice = "c\0d";
    println!("{}", v.len()); // mark: hit
    drop((v, part, some, none, text, no_text, good, m, circle, named, empty));
    drop((binary, slice));
}
`
	file, program := writeRust(t, text, "-C", "opt-level=0")
	root, err := exec.Command("rustc", "--print", "sysroot").Output()
	if _, missing := os.Stat(filepath.Join(strings.TrimSpace(string(root)), "lib/rustlib/etc/lldb_commands")); err !=
		nil ||
		missing != nil {
		t.Skip("SKIPPED: this Rust has no formatters for LLDB")
	}
	eachLLDB(t, func(t *testing.T, c *mcptest.Client, backend string) {
		c.Do("breakpoint_set", mcptest.Args{"file": file, "line": fixtures.MarkIn(t, file, "hit")})
		c.Settled(c.Do("debug_launch", mcptest.Args{"program": program, "backend": backend, "stop_at_entry": false}))
		got := map[string]string{}
		r := c.Do("variables_get", mcptest.Args{"count": 50})
		for i := range r.Len("variables") {
			got[r.String("variables."+itoa(i)+".name")] = r.String("variables." + itoa(i) + ".value")
		}
		want := map[string]string{
			"v": "size=1", "s": `"hello"`, "part": `"el"`, "some": "Some(5)", "none": "None", "text": `Some("x")`,
			"no_text": "None", "good": "Ok(3)", "m": "size=1", "circle": "Circle(1.5)", "named": `Text("t")`, "empty": "Empty",
			"binary": `"a\0b"`, "slice": `"c\0d"`,
		}
		for name, value := range want {
			assert.Equal(t, value, got[name], name)
		}
		r = c.Do("variables_get", mcptest.Args{"expand": "v"})
		assert.Equal(t, "{x: 5, y: 6}", r.String("variables.0.value"), "%s", r.Raw)
		r = c.Do("variables_get", mcptest.Args{"expand": "m"})
		assert.Equal(t, `("a", 1)`, r.String("variables.0.value"), "%s", r.Raw)
	})
}
