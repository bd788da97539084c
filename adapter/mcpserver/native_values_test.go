package mcpserver_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	dir := t.TempDir()
	cxx, err := exec.LookPath("c++")
	if err != nil {
		t.Skip("SKIPPED: there is no C++ compiler")
	}
	file, program := filepath.Join(dir, "main.cc"), filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	out, err := exec.Command(cxx, "-std=c++17", "-g", "-O0", "-o", program, file).CombinedOutput()
	require.NoError(t, err, "%s", out)
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
    println!("{}", v.len()); // mark: hit
    drop((v, part, some, none, text, no_text, good, m, circle, named, empty));
}
`
	file, program := writeRust(t, text, "-C", "opt-level=0")
	root, err := exec.Command("rustc", "--print", "sysroot").Output()
	if _, missing := os.Stat(filepath.Join(strings.TrimSpace(string(root)), "lib/rustlib/etc/lldb_commands")); err !=
		nil ||
		missing != nil {
		t.Skip("SKIPPED: this Rust has no formatters for LLDB")
	}
	c := liveLLDB(t)
	c.Do("breakpoint_set", mcptest.Args{"file": file, "line": fixtures.MarkIn(t, file, "hit")})
	toFirstStop(c, program)
	got := map[string]string{}
	r := c.Do("variables_get", mcptest.Args{"count": 50})
	for i := range r.Len("variables") {
		got[r.String("variables."+itoa(i)+".name")] = r.String("variables." + itoa(i) + ".value")
	}
	assert.Equal(t, map[string]string{
		"v": "size=1", "s": `"hello"`, "part": `"el"`, "some": "Some(5)", "none": "None", "text": `Some("x")`,
		"no_text": "None", "good": "Ok(3)", "m": "size=1", "circle": "Circle(1.5)", "named": `Text("t")`, "empty": "Empty",
	}, got)
	r = c.Do("variables_get", mcptest.Args{"expand": "v"})
	assert.Equal(t, "{x: 5, y: 6}", r.String("variables.0.value"), "%s", r.Raw)
	r = c.Do("variables_get", mcptest.Args{"expand": "m"})
	assert.Equal(t, `("a", 1)`, r.String("variables.0.value"), "%s", r.Raw)
}
