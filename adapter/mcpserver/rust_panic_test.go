package mcpserver_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

// rustPanics is a Rust program that panics twice at line 7.
func rustPanics(t *testing.T) (s *session, program, source string) {
	dir := t.TempDir()
	program, source = filepath.Join(dir, "program"), filepath.Join(dir, "main.rs")
	require.NoError(t, os.WriteFile(source, []byte("//\n//\n//\n//\n//\n//\n//\n//\n//\n"), 0o600))
	require.NoError(t, os.WriteFile(program, []byte("/rustc/59807/library/std/src/panicking.rs"), 0o600))
	memory := map[string]string{
		"((unsigned long*)$arg2)[1]": "24", "((void(**)())$arg2)[3]": "0x1 (p`FormatStringPayload::take_box)",
		"((unsigned long*)$arg1)[0]": "9", "((unsigned long*)$arg1)[1]": "1048576", "((unsigned long*)$arg1)[2]": "9",
		"*(char(*)[9])0x100000": `"it failed"`,
	}
	panics := daptest.Step{File: "/rustc/59807/library/std/src/panicking.rs", Line: 886, Func: "__rustc::rust_panic",
		Callers: []daptest.Frame{{File: "/rustc/59807/library/core/src/panicking.rs", Line: 80, Func: "panic_fmt"},
			{File: source, Line: 7, Func: "main"}}}
	_, fakes := mcptest.Fake(t, "lldb-dap", daptest.LLDB(), daptest.Program{
		Threads: []daptest.Thread{{Code: daptest.Lines(
			daptest.Step{File: source, Line: 1, Func: "main"}, panics,
			daptest.Step{File: source, Line: 8, Func: "main"}, panics, daptest.Step{File: source, Line: 9, Func: "main"},
		)}},
		Eval: func(c daptest.EvalCall) (daptest.Var, bool) {
			value, ok := memory[c.Expression]
			return daptest.Var{Value: value, Type: "unsigned long"}, ok
		},
	})
	backends := fakes.Backends("lldb-dap")
	fake := backends.Custom["fake"]
	fake.Local = true
	backends.Custom["fake"] = fake
	m := adapter.NewManager(adapter.Options{Backends: backends})
	return &session{mcptest.Serve(t, m, mcpserver.Options{}), fakes}, program, source
}

// A panic of Rust stops like an exception: by default, and where an exception breakpoint asks for it.
func TestRustPanics(t *testing.T) {
	for _, tt := range []struct {
		name  string
		asked []mcptest.Args
		stops int
		hits  int // of them of an exception breakpoint
	}{
		{"nothing asked for", nil, 2, 0},
		{"all", []mcptest.Args{{"exception_type": "*"}}, 2, 2},
		{"panics", []mcptest.Args{{"exception_type": "panic"}}, 2, 2},
		{"panics, whoever catches them", []mcptest.Args{{"exception_type": "panic", "break_on_first_chance": false}}, 2, 2},
		{"something else", []mcptest.Args{{"exception_type": "std::exception"}}, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, program, _ := rustPanics(t)
			for _, args := range tt.asked {
				s.Do("breakpoint_set_exception", args)
			}
			r := s.Settled(s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false}))
			stops, hits := 0, 0
			for ; r.Has("stop"); r = next(s.Client) {
				require.Equal(t, "exception", r.String("stop.reason"), "%s", r.Raw)
				require.Equal(t, "panic", r.String("stop.exception.type"), "%s", r.Raw)
				require.Equal(t, "it failed", r.String("stop.exception.message"), "%s", r.Raw)
				require.Equal(t, 7, r.Int("stop.location.line"), "the user's line: %s", r.Raw)
				more := s.Do("exception_get_context", nil)
				require.Equal(t, "it failed", more.String("exception.message"), "%s", more.Raw)
				stops, hits = stops+1, hits+r.Len("stop.breakpointIds")
			}
			require.Equal(t, tt.stops, stops)
			require.Equal(t, tt.hits, hits)
			require.Zero(t, s.Do("breakpoint_list", nil).Int("count")-len(tt.asked), "the session's own is not listed")
		})
	}
}

// The first exception breakpoint and the removal of the last one decide again, while the program is stopped. A panic
// inside a step ends the step.
func TestRustPanicsAskedForLater(t *testing.T) {
	s, program, source := rustPanics(t)
	breakAt := func(line int) { s.Do("breakpoint_set", mcptest.Args{"file": source, "line": line}) }
	breakAt(1)
	s.Settled(s.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false}))
	id := s.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "std::exception"}).String("breakpoint.id")
	breakAt(8)
	require.Equal(t, 8, next(s.Client).Int("stop.location.line"))
	s.Do("breakpoint_remove", mcptest.Args{"id": id})
	r := s.Do("debug_step", nil)
	require.Equal(t, "panic", r.String("stop.exception.type"), "%s", r.Raw)
	require.Equal(t, "exited", next(s.Client).String("reason"))
}

// writeRust builds a Rust program in a folder.
func writeRust(t testing.TB, text string, flags ...string) (file, program string) {
	rustc, err := exec.LookPath("rustc")
	if err != nil {
		t.Skip("SKIPPED: there is no rustc")
	}
	dir := t.TempDir()
	file, program = filepath.Join(dir, "main.rs"), filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	out, err := exec.Command(rustc, append(flags, "-A", "warnings", "-g", "-o", program, file)...).CombinedOutput()
	if err != nil { // it has no linker, or no library for these flags
		simple := filepath.Join(dir, "simple.rs")
		require.NoError(t, os.WriteFile(simple, []byte("fn main() {}\n"), 0o600))
		if said, err := exec.Command(rustc, append(flags, "-o", program, simple)...).CombinedOutput(); err != nil {
			t.Skipf("SKIPPED: rustc does not build here: %s", said)
		}
		require.NoError(t, err, "%s", out)
	}
	return file, program
}

const rustPanicking = `use std::panic::{catch_unwind, panic_any, resume_unwind};
fn checked(v: &[i32], i: usize) -> i32 { v[i] } // mark: last
fn main() {
    let n = 5;
    let bad: Result<i32, String> = Err("bad".into());
    let _ = catch_unwind(|| panic!("static text"));
    let _ = catch_unwind(|| panic!("formatted {}", n));
    let _ = catch_unwind(|| bad.clone().unwrap());
    let _ = catch_unwind(|| panic_any(5i32));
    let _ = catch_unwind(|| {
        let r = catch_unwind(|| panic_any(String::from("owned")));
        resume_unwind(r.unwrap_err())
    });
    let _ = std::thread::spawn(|| { let o: Option<i32> = None; o.unwrap(); }).join();
    println!("{}", checked(&[1, 2], std::env::args().count() + 7));
}
`

// lldb-dap with a real program of Rust.
func TestLiveRustPanics(t *testing.T) {
	const unwrapped = "called `Result::unwrap()` on an `Err` value: \"bad\""
	for _, flags := range [][]string{{"-C", "opt-level=0"}, {"-C", "opt-level=2"}} {
		file, program := writeRust(t, rustPanicking, flags...)
		c := liveLLDB(t)
		r := toFirstStop(c, program)
		var got []string
		line := 0
		for ; r.Has("stop"); r = next(c) {
			require.Equal(t, "panic", r.String("stop.exception.type"), "%s", r.Raw)
			require.Equal(t, file, r.String("stop.location.file"), "%s", r.Raw)
			got, line = append(got, r.String("stop.exception.message")), r.Int("stop.location.line")
		}
		assert.Equal(t, []string{
			"static text", "formatted 5", unwrapped, "", "owned", "called `Option::unwrap()` on a `None` value",
			"index out of bounds: the len is 2 but the index is 8",
		}, got, "%v", flags)
		assert.Equal(t, fixtures.MarkIn(t, file, "last"), line)
		assert.Equal(t, 101, r.Int("session.exitCode"), "%s", r.Raw)
	}
}

// With panic=abort the program ends by SIGABRT. That is the panic that was reported, so it does not stop again.
func TestLiveRustPanicThatAborts(t *testing.T) {
	file, program := writeRust(t, "fn main() {\n    let v: Vec<i32> = vec![];\n"+
		"    println!(\"{}\", v.iter().max().expect(\"no maximum\")); // mark: here\n}\n", "-C", "panic=abort")
	c := liveLLDB(t)
	r := toFirstStop(c, program)
	require.Equal(t, "no maximum", r.String("stop.exception.message"), "%s", r.Raw)
	require.Equal(t, fixtures.MarkIn(t, file, "here"), r.Int("stop.location.line"))
	r = next(c)
	require.Equal(t, "SIGABRT", r.String("session.signal"), "%s", r.Raw)
}
