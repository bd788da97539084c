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

// cppMemory is what a runtime of C++ has in memory: a thrown BankError, whose base is std::runtime_error, at 0x900.
func cppMemory() map[string]string {
	m := map[string]string{
		"(void*)($arg2)": "0x100", "(void*)($arg1)": "0x900", "((char**)($arg2))[1]": `0x1 "9BankError"`,
		"(void*)__cxa_current_exception_type()": "0x100", "*(void**)__cxa_get_globals()": "0x890",
		"*(void**)*(void**)__cxa_get_globals()": "0x100", "(*(void***)__cxa_get_globals())[2]": "0x7",
		"(void*)(0x100)": "0x100", "(void*)(0x900)": "0x900", "((char**)(0x100))[1]": `0x1 "9BankError"`,
		"((void(**)())*(void**)((char*)0x900))[2]": "0x77 (libstdc++.so.6`std::runtime_error::what() const)",
		"((char**)((char*)0x900))[1]":              `0x2 "no account zed"`,
	}
	for at, name := range map[string]string{"0x100": "9BankError", "0x200": "St13runtime_error", "0x300": "St9exception"} {
		m["((char**)"+at+")[1]"] = `0x1 "` + name + `"`
		m["((char**)(*(void***)"+at+")[-1])[1]"] = `0x3 "N10__cxxabiv120__si_class_type_infoE"`
		m["((unsigned*)((void**)"+at+" + 2))[1]"] = "0"
	}
	m["((void**)0x100)[2]"], m["((void**)0x200)[2]"] = "0x200", "0x300"
	m["((char**)(*(void***)0x300)[-1])[1]"] = `0x3 "N10__cxxabiv117__class_type_infoE"`
	return m
}

// cppThrows is a program that throws a BankError that nobody catches.
func cppThrows(memory map[string]string) daptest.Program {
	below := []daptest.Frame{{Func: "std::terminate()"}, {File: source, Line: 7, Func: "main"}}
	return daptest.Program{
		Threads: []daptest.Thread{{Code: daptest.Lines(
			daptest.Step{File: source, Line: 1, Func: "main"},
			daptest.Step{Func: "__cxa_throw", Callers: below,
				Throws: &daptest.Exception{Type: "signal", Message: "signal SIGABRT", Unhandled: true}},
		)}},
		Eval: func(c daptest.EvalCall) (daptest.Var, bool) {
			value, ok := memory[c.Expression]
			if !ok {
				return daptest.Var{Err: "error: unknown: " + c.Expression}, true
			}
			return daptest.Var{Value: value, Type: "void *"}, true
		},
	}
}

// lldb-dap says that something was thrown, or that the program got a signal. Type, base types and message come from the
// runtime's memory.
func TestCppExceptions(t *testing.T) {
	first, last := "BankError, true", "BankError, false"
	for _, tt := range []struct {
		name  string
		asked []mcptest.Args
		stops []string // type and isFirstChance
	}{
		{"nothing asked for", nil, []string{last}},
		{"all", []mcptest.Args{{"exception_type": "*"}}, []string{first}}, // an uncaught one stops once
		{"by type", []mcptest.Args{{"exception_type": "BankError"}}, []string{first}},
		{"by base type", []mcptest.Args{{"exception_type": "std::exception"}}, []string{first}},
		{"without the namespace", []mcptest.Args{{"exception_type": "runtime_error"}}, []string{first}},
		{"by filter", []mcptest.Args{{"exception_type": "cpp_throw"}}, []string{first}},
		{"base type, but not its subtypes",
			[]mcptest.Args{{"exception_type": "std::exception", "include_subtypes": false}}, nil},
		{"another type", []mcptest.Args{{"exception_type": "std::logic_error"}}, nil},
		{"only what nobody catches",
			[]mcptest.Args{{"exception_type": "runtime_error", "break_on_first_chance": false}}, []string{last}},
		{"only thrown", []mcptest.Args{{"exception_type": "*", "break_on_second_chance": false}}, []string{first}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, "lldb-dap", daptest.LLDB(), cppThrows(cppMemory()))
			for _, args := range tt.asked {
				s.Do("breakpoint_set_exception", args)
			}
			s.launchTo(t, 1)
			var stops []string
			r := next(s.Client)
			for ; r.Has("stop"); r = next(s.Client) {
				require.Equal(t, "exception", r.String("stop.reason"), "%s", r.Raw)
				require.Equal(t, 7, r.Int("stop.location.line"), "%s", r.Raw)
				require.Equal(t, "no account zed", r.String("stop.exception.message"), "%s", r.Raw)
				require.Equal(t, tt.asked != nil, r.Len("stop.breakpointIds") == 1, "%s", r.Raw)
				stops = append(stops, r.String("stop.exception.type")+", "+
					map[bool]string{true: "true", false: "false"}[r.Bool("stop.exception.isFirstChance")])
				more := s.Do("exception_get_context", nil)
				require.Equal(t, "BankError", more.String("exception.type"), "%s", more.Raw)
				require.Equal(t, "no account zed", more.String("exception.message"), "%s", more.Raw)
			}
			require.Equal(t, tt.stops, stops)
		})
	}
}

// What cannot be read is left out: the stop is still a stop, by the debugger's own words.
func TestCppExceptionsThatCannotBeRead(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(memory map[string]string)
		want   string
	}{
		{"nothing", func(m map[string]string) { clear(m) }, "cpp_throw: C++ Throw"},
		{"no name", func(m map[string]string) { m["((char**)($arg2))[1]"] = `0x1 "?"` }, "cpp_throw: C++ Throw"},
		{"no message", func(m map[string]string) { delete(m, "((char**)((char*)0x900))[1]") }, "BankError: "},
		{"no bases", func(m map[string]string) { delete(m, "((void**)0x100)[2]") }, "BankError: "},
		{"its own what()", func(m map[string]string) {
			m["((void(**)())*(void**)((char*)0x900))[2]"] = "0x77 (prog`BankError::what() const)"
			m["((const char*(*)(void*))(*(void***)((char*)0x900))[2])((void*)((char*)0x900))"] = `0x5 "from a call"`
		}, "BankError: from a call"},
		{"a number", func(m map[string]string) {
			m["((char**)($arg2))[1]"], m["*(int*)0x900"] = `0x1 "i"`, "42"
			m["((char**)(*(void***)0x100)[-1])[1]"] = `0x3 "N10__cxxabiv123__fundamental_type_infoE"`
		}, "int: 42"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			memory := cppMemory()
			tt.change(memory)
			s := serve(t, "lldb-dap", daptest.LLDB(), cppThrows(memory))
			s.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "*"})
			s.launchTo(t, 1)
			r := next(s.Client)
			require.Equal(t, tt.want, r.String("stop.exception.type")+": "+r.String("stop.exception.message"), "%s", r.Raw)
		})
	}
}

// what() is a function of the program, so a read-only server does not call it.
func TestReadOnlyCallsNoWhat(t *testing.T) {
	memory := cppMemory()
	memory["((void(**)())*(void**)((char*)0x900))[2]"] = "0x77 (prog`BankError::what() const)"
	var calls []string
	p := cppThrows(memory)
	read := p.Eval
	p.Eval = func(c daptest.EvalCall) (daptest.Var, bool) {
		calls = append(calls, c.Expression)
		return read(c)
	}
	_, fakes := mcptest.Fake(t, "lldb-dap", daptest.LLDB(), p)
	m := adapter.NewManager(adapter.Options{Backends: fakes.Backends("lldb-dap"),
		Permissions: adapter.Permissions{ReadOnly: true, Programs: []string{program}}})
	c := mcptest.Serve(t, m, mcpserver.Options{})
	c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "*"})
	r := c.Settled(c.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false}))
	require.Equal(t, "BankError", r.String("stop.exception.type"), "%s", r.Raw)
	for _, e := range calls {
		assert.NotContains(t, e, "(*)(void*)")
	}
}

// writeCpp builds a C++ program in a folder.
func writeCpp(t testing.TB, text string) (file, program string) {
	cxx, err := exec.LookPath("c++")
	if err != nil {
		t.Skip("SKIPPED: there is no C++ compiler")
	}
	dir := t.TempDir()
	file, program = filepath.Join(dir, "main.cc"), filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	out, err := exec.Command(cxx, "-std=c++17", "-g", "-O0", "-o", program, file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return file, program
}

const cppExceptions = `#include <new>
#include <stdexcept>
#include <string>
#include <vector>
namespace bank {
struct Tag { virtual ~Tag() {} int code = 7; };
struct Custom : Tag, std::exception {
    std::string text = "custom text";
    const char *what() const noexcept override { return text.c_str(); } // mark: what
};
template <class T, int N> struct Virtual : virtual std::runtime_error {
    Virtual() : std::runtime_error("virtual base") {}
};
enum class Colour { red };
}
int caught = 0;
template <class T> void attempt(T t) { try { throw t; } catch (...) { caught++; } }
int main() {
    attempt(42);
    attempt("text");
    attempt(std::string("a string"));
    attempt(2.5);
    attempt(bank::Colour::red);
    attempt(bank::Custom());
    attempt(bank::Virtual<std::vector<int>, 3>());
    attempt(std::out_of_range("index 7"));
    attempt(std::bad_alloc());
    try {
        try { throw std::logic_error("again"); } catch (...) { throw; }
    } catch (...) {}
    throw bank::Custom(); // mark: last
}
`

// lldb-dap on the runtime of C++ of this machine.
func TestLiveCppExceptions(t *testing.T) {
	file, program := writeCpp(t, cppExceptions)
	const custom, uncaught = "bank::Custom: custom text", "bank::Custom: custom text (uncaught)"
	const virtual = "bank::Virtual<std::vector<int, std::allocator<int>>, 3>: virtual base"
	for _, tt := range []struct {
		args mcptest.Args
		want []string
	}{
		{mcptest.Args{"exception_type": "*"}, []string{
			"int: 42", "const char*: text", "std::string: a string", "double: 2.5", "bank::Colour: ", custom, virtual,
			"std::out_of_range: index 7", "std::bad_alloc: std::bad_alloc", "std::logic_error: again", custom,
		}},
		{mcptest.Args{"exception_type": "std::exception"}, []string{
			custom, virtual, "std::out_of_range: index 7", "std::bad_alloc: std::bad_alloc", "std::logic_error: again", custom,
		}},
		{mcptest.Args{"exception_type": "logic_error"}, []string{"std::out_of_range: index 7", "std::logic_error: again"}},
		{mcptest.Args{"exception_type": "std::exception", "include_subtypes": false}, nil},
		{mcptest.Args{"exception_type": "Tag", "break_on_first_chance": false}, []string{uncaught}},
		{nil, []string{uncaught}},
	} {
		c := liveLLDB(t)
		c.Do("tracepoint_set", mcptest.Args{"file": file, "line": fixtures.MarkIn(t, file, "what")})
		if tt.args != nil {
			c.Do("breakpoint_set_exception", tt.args)
		}
		r := toFirstStop(c, program)
		var got []string
		for ; r.Has("stop"); r = next(c) {
			is := r.String("stop.exception.type") + ": " + r.String("stop.exception.message")
			if !r.Bool("stop.exception.isFirstChance") {
				is += " (uncaught)"
				require.Equal(t, fixtures.MarkIn(t, file, "last"), r.Int("stop.location.line"), "%s", r.Raw)
			}
			got = append(got, is)
			require.Equal(t, r.String("stop.exception.message"),
				c.Do("exception_get_context", nil).String("exception.message"))
		}
		require.Equal(t, tt.want, got, "%v", tt.args)
		require.Equal(t, "SIGABRT", r.String("session.signal"), "%s", r.Raw)
	}
}

// A breakpoint for cpp_catch stops where an exception is caught. An abort that is no exception is a signal.
func TestLiveCppCatchAndAbort(t *testing.T) {
	_, program := writeCpp(t, "#include <cstdlib>\n#include <stdexcept>\nint main() {\n"+
		"    try { throw std::runtime_error(\"one\"); } catch (...) {}\n    abort();\n}\n")
	c := liveLLDB(t)
	c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "cpp_catch"})
	r := toFirstStop(c, program)
	require.Equal(t, "std::runtime_error", r.String("stop.exception.type"), "%s", r.Raw)
	require.Equal(t, "one", r.String("stop.exception.message"))
	r = next(c)
	require.Equal(t, "signal", r.String("stop.exception.type"), "%s", r.Raw)
	require.Equal(t, "signal SIGABRT", r.String("stop.exception.message"))
}
