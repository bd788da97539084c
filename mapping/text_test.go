package mapping

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	known := []string{"program", "args", "cwd", "env", "stop_at_entry", "just_my_code", "timeout_ms", "line", "file",
		"expression", "hit_condition"}
	tests := []struct{ name, in, want string }{
		{"same", "line", "line"},
		{"camelCase", "stopAtEntry", "stop_at_entry"},
		{"PascalCase", "HitCondition", "hit_condition"},
		{"hyphens", "just-my-code", "just_my_code"},
		{"a letter missing", "progam", "program"},
		{"two letters swapped", "lnie", "line"},
		{"another ending", "timeout", "timeout_ms"},
		{"beginning of a word", "expr", "expression"},
		{"plural", "files", "file"},
		{"nothing near", "breakpoint", ""},
		{"short and different", "x", ""},
		{"empty", "", ""},
		{"only style", "__", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, Nearest(tt.in, known))
		})
	}
	assert.Empty(t, Nearest("line", nil))
	assert.Equal(t, "größe", Nearest("grösse", []string{"weite", "größe"}))
}

func TestExcerpt(t *testing.T) {
	source := "class Program\n{\n    static void Main()\n    {\n        int w = Work(i);\n        sum += w;\n\n    }\n}\n"
	tests := []struct {
		name string
		in   string
		line int
		want []string
	}{
		{"middle", source, 5, []string{
			"  3  static void Main()", "  4  {", "→ 5      int w = Work(i);", "  6      sum += w;", "  7",
		}},
		{"first", source, 1, []string{"→ 1  class Program", "  2  {", "  3      static void Main()"}},
		{"last", source, 9, []string{"  7", "  8      }", "→ 9  }"}},
		{"beyond the end", source, 10, nil},
		{"far beyond", source, 1000, nil},
		{"zero", source, 0, nil},
		{"negative", source, -3, nil},
		{"empty file", "", 1, nil},
		{"no line feed at the end", "a\nb", 2, []string{"  1  a", "→ 2  b"}},
		{"CRLF and BOM", "\xef\xbb\xbfa\r\nb\r\n", 1, []string{"→ 1  a", "  2  b"}},
		{"tabs", "\tif x {\n\t\ty()\n\t}\n", 2, []string{"  1  if x {", "→ 2  \ty()", "  3  }"}},
		{"mixed indentation", "\ta\n    b\n", 1, []string{"→ 1  \ta", "  2      b"}},
		{"numbers aligned", strings.Repeat("x\n", 12), 9, []string{"   7  x", "   8  x", "→  9  x", "  10  x", "  11  x"}},
		{"not UTF-8", "a\xffb\n", 1, []string{"→ 1  a\uFFFDb"}},
		{"an empty current line", "a\n\nb\n", 2, []string{"  1  a", "→ 2", "  3  b"}},
		{"long line", strings.Repeat("世", 200), 1, []string{"→ 1  " + strings.Repeat("世", 160) + "…"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, Excerpt([]byte(tt.in), tt.line))
		})
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte("a\nb\r\n\tc"), 2)
	f.Fuzz(func(t *testing.T, content []byte, line int) {
		before := string(content)
		lines := Excerpt(content, line)
		require.Equal(t, before, string(content), "the file is not changed")
		require.LessOrEqual(t, len(lines), 5)
		marked := 0
		for _, l := range lines {
			require.True(t, utf8.ValidString(l))
			if strings.HasPrefix(l, "→") {
				marked++
			}
		}
		require.Equal(t, len(lines) > 0, marked == 1)
	})
}

func TestCutMiddle(t *testing.T) {
	for _, tt := range []struct {
		in    string
		limit int
		want  string
	}{
		{"", 5, ""},
		{"abcde", 5, "abcde"},
		{"abcdef", 5, "ab…ef"},
		{"abcdefg", 4, "a…fg"},
		{"世界世界世", 5, "世界世界世"},
		{"世界世界世界", 5, "世界…世界"},
	} {
		assert.Equal(t, tt.want, CutMiddle(tt.in, tt.limit))
	}
	long := "count<" + strings.Repeat("std::map<int,", 500) + ">(int)"
	assert.Equal(t, 120, utf8.RuneCountInString(ShownFunction(long)))
}

func TestTruncate(t *testing.T) {
	tests := []struct {
		name, in  string
		chars     int
		truncated bool
	}{
		{"empty", "", 0, false},
		{"short", "abc", 3, false},
		{"exactly", strings.Repeat("a", 1024), 1024, false},
		{"one more", strings.Repeat("a", 1025), 1024, true},
		{"characters, not bytes", strings.Repeat("世", 1024), 1024, false},
		{"between runes", strings.Repeat("世", 1025), 1024, true},
		{"not UTF-8", strings.Repeat("\xff", 1025), 1024, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, truncated := Truncate(tt.in)
			assert.Equal(t, tt.chars, utf8.RuneCountInString(got))
			assert.Equal(t, tt.truncated, truncated)
			assert.True(t, strings.HasPrefix(tt.in, got))
		})
	}
}
