package tracepoints

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDisplay(t *testing.T) {
	tests := []struct {
		name, value, typ, lang, want string
	}{
		{"C# string", `"text"`, "string", CSharp, "text"},
		{"C# empty string", `""`, "string", CSharp, ""},
		{"C# quotes within", `"a\"b"`, "string", CSharp, `a"b`},
		{"C# escapes as recorded", `"héllo 世界 😀\r\nsecond line"`, "string", CSharp,
			"héllo 世界 😀\r\nsecond line"},
		{"C# backslashes", `"C:\\temp\\new"`, "string", CSharp, `C:\temp\new`},
		{"C# null", "null", "string", CSharp, "null"},
		{"C# nullable", `"x"`, "string?", CSharp, "x"},
		{"C# int", "5", "int", CSharp, "5"},
		{"C# char stays", "90 'Z'", "char", CSharp, "90 'Z'"},
		{"C# object stays", "{System.Guid}", "System.Guid", CSharp, "{System.Guid}"},
		{"C# other type that looks like a string", `"x"`, "App.Quoted", CSharp, `"x"`},
		{"C# unescaped quote within stays", `"a"b"`, "string", CSharp, `"a"b"`},
		{"C# cut short stays", `"abc`, "string", CSharp, `"abc`},
		{"C# last quote is escaped stays", `"abc\"`, "string", CSharp, `"abc\"`},
		{"Go string", `"a\tb"`, "string", Go, "a\tb"},
		{"Go string cut by Delve", `"abc...+88 more"`, "string", Go, "abc...+88 more"},
		{"Go named string", `"on"`, "main.Mode", Go, "on"},
		{"Go unknown type", `"x\u00e9\x1f"`, "", Go, "xé\x1f"},
		{"Go struct stays", `main.T {A: "x"}`, "main.T", Go, `main.T {A: "x"}`},
		{"Go slice stays", `[]string len: 1, cap: 1, ["x"]`, "[]string", Go, `[]string len: 1, cap: 1, ["x"]`},
		{"Go unsigned", "5 = 0x5", "uint8", Go, "5"},
		{"Go int", "-5", "int", Go, "-5"},
		{"Go error text stays", "error nil", "error", Go, "error nil"},
		{"Go quote and more stays", `"a" + "b"`, "string", Go, `"a" + "b"`},
		{"Python str", `'text'`, "str", Python, "text"},
		{"Python double quotes", `"it's"`, "str", Python, "it's"},
		{"Python escapes", `'a\'b\\\n\x1f\u20ac\U0001f600'`, "str", Python, "a'b\\\n\x1f€😀"},
		{"Python bytes stay", `b'x'`, "bytes", Python, `b'x'`},
		{"Python list stays", `['a', 'b']`, "list", Python, `['a', 'b']`},
		{"Python tuple text of str type", `'a', 'b'`, "str", Python, `'a', 'b'`},
		{"Python int", "5", "int", Python, "5"},
		{"C char pointer", `0x0000555555556004 "hello"`, "const char *", C, "hello"},
		{"C char array", `"hello"`, "char[6]", C, "hello"},
		{"C escapes", `"a\"b\n\033[0m"`, "char[9]", C, "a\"b\n\x1b[0m"},
		{"C++ string", `"x"`, "std::string", C, "x"},
		{"C++ wide string", `L"x"`, "wchar_t[2]", C, "x"},
		{"C char stays", "'a'", "char", C, "'a'"},
		{"C int", "5", "int", C, "5"},
		{"C pointer stays", "0x0000555555556004", "int *", C, "0x0000555555556004"},
		{"Rust str", `"x"`, "&str", C, "x"},
		{"unknown language", `'x'`, "str", "", "x"},
		{"unknown language and type stays", `"x"`, "Thing", "", `"x"`},
		{"unknown escape stays", `"\q\xZZ\u12"`, "string", CSharp, `\q\xZZ\u12`},
		{"beyond unicode stays", `'\Uffffffff'`, "str", Python, `\Uffffffff`},
		{"octal", `"\101\0"`, "char[3]", C, "A\x00"},
		{"nothing", "", "string", CSharp, ""},
		{"one quote", `"`, "string", CSharp, `"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, Display(tt.value, tt.typ, tt.lang))
		})
	}
}

func FuzzDisplay(f *testing.F) {
	f.Add(`a"b\`, "string")
	f.Add("x\x1f\n", "")
	f.Fuzz(func(t *testing.T, s, typ string) {
		for _, lang := range []string{CSharp, Go, Python, C, ""} {
			Display(s, typ, lang)
			Display(`"`+s+`"`, typ, lang)
		}
		assert.Equal(t, s, Display(strconv.Quote(s), typ, Go))
	})
}

func TestErrorText(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"plain", "NullReferenceException", "NullReferenceException"},
		{"Delve", "Unable to evaluate expression: could not find symbol value for x", "could not find symbol value for x"},
		{"lldb", "error: <user expression 0>:1:1: use of undeclared identifier 'x'\n   1 | x\n     | ^",
			"use of undeclared identifier 'x'"},
		{"netcoredbg", "error: 0x80070057", "0x80070057"},
		{"Python traceback", "Traceback (most recent call last):\n  File \"<string>\", line 1, in " +
			"<module>\nNameError: name 'x' is not defined\n", "NameError: name 'x' is not defined"},
		{"Python without message", "Traceback (most recent call last):\n  File \"<string>\", line 1\nmymod.Bad", "mymod.Bad"},
		{"empty", " \n", "no reason given"},
		{"long", string(make([]byte, 500)), string(make([]byte, 197)) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, ErrorText(tt.in))
		})
	}
}
