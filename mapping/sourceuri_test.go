package mapping

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSplitSourceURI(t *testing.T) {
	tests := []struct{ name, in, session, want string }{
		{"raw POSIX", "debugger://source//src/LoopApp/Program.cs", "", "/src/LoopApp/Program.cs"},
		{"raw POSIX, one slash", "debugger://source/src/LoopApp/Program.cs", "", "/src/LoopApp/Program.cs"},
		{"encoded slashes", "debugger://source/%2Fsrc%2FLoopApp%2FProgram.cs", "", "/src/LoopApp/Program.cs"},
		{"only the first encoded", "debugger://source/%2fsrc/Program.cs", "", "/src/Program.cs"},
		{"raw Windows", `debugger://source/C:\src\Program.cs`, "", `C:\src\Program.cs`},
		{"Windows with slashes", "debugger://source/c:/src/Program.cs", "", "c:/src/Program.cs"},
		{"Windows as in file URIs", "debugger://source//c:/src/Program.cs", "", "c:/src/Program.cs"},
		{"encoded Windows", "debugger://source/C%3A%5Csrc%5CProgram.cs", "", `C:\src\Program.cs`},
		{"UNC", `debugger://source/\\server\share\a.cs`, "", `\\server\share\a.cs`},
		{"raw space", "debugger://source//my src/a b.cs", "", "/my src/a b.cs"},
		{"encoded space", "debugger://source/%2Fmy%20src%2Fa%20b.cs", "", "/my src/a b.cs"},
		{"plus is plus", "debugger://source//c++/a+b.cs", "", "/c++/a+b.cs"},
		{"raw hash and question mark", "debugger://source//c#/what?/a.cs", "", "/c#/what?/a.cs"},
		{"encoded hash and question mark", "debugger://source/%2Fc%23%2Fwhat%3F%2Fa.cs", "", "/c#/what?/a.cs"},
		{"raw percent", "debugger://source//src/100%/a.cs", "", "/src/100%/a.cs"},
		{"encoded percent", "debugger://source/%2Fsrc%2F100%25%2Fa.cs", "", "/src/100%/a.cs"},
		{"raw unicode", "debugger://source//größe/世界.cs", "", "/größe/世界.cs"},
		{"encoded unicode", "debugger://source/%2Fgr%C3%B6%C3%9Fe%2Fa.cs", "", "/größe/a.cs"},
		{"scheme in capitals", "DEBUGGER://Source//src/a.cs", "", "/src/a.cs"},
		{"bare name", "debugger://source/Program.cs", "", "Program.cs"},
		{"dots are the caller's to judge", "debugger://source//src/../etc/passwd", "", "/src/../etc/passwd"},
		{"of a session", "debugger://sessions/s1/source/%2Fsrc%2Fa.cs", "s1", "/src/a.cs"},
		{"of a session, raw", "debugger://sessions/s1/source//src/source/a.cs", "s1", "/src/source/a.cs"},
		{"of a session, Windows", "debugger://sessions/s%201/source/C:/a.cs", "s 1", "C:/a.cs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			session, got, err := SplitSourceURI(tt.in)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.session, session)
		})
	}
}

func TestSplitSourceURIErrors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ErrNotSourceURI.Error()},
		{"other scheme", "file:///src/a.cs", ErrNotSourceURI.Error()},
		{"other resource", "debugger://threads", ErrNotSourceURI.Error()},
		{"session without source", "debugger://sessions/s1/threads", ErrNotSourceURI.Error()},
		{"session without id", "debugger://sessions//source/a.cs", ErrNotSourceURI.Error()},
		{"session id with a slash", "debugger://sessions/a/b/source//a.cs", ErrNotSourceURI.Error()},
		{"no file", "debugger://source/", "the source URI names no file"},
		{"only slashes", "debugger://source/%2F/", "the source URI names no file"},
		{"NUL", "debugger://source/%2Fsrc%00.cs", "the source URI holds a NUL character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := SplitSourceURI(tt.in)
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestSourceURI(t *testing.T) {
	tests := []struct{ in, want string }{
		{"/src/LoopApp/Program.cs", "debugger://source/%2Fsrc%2FLoopApp%2FProgram.cs"},
		{`C:\my src\a.cs`, "debugger://source/C%3A%5Cmy%20src%5Ca.cs"},
		{"/größe/100%#?.cs", "debugger://source/%2Fgr%C3%B6%C3%9Fe%2F100%25%23%3F.cs"},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, SourceURI(tt.in))
	}
	assert.Equal(t, "debugger://sessions/s1/source/%2Fa.cs", SessionSourceURI("s1", "/a.cs"))
}

func FuzzSourceURI(f *testing.F) {
	for _, s := range []string{"/src/a.cs", `C:\src\a b.cs`, "//double", "/100%25", "/c#/?", "/世界", `\\s\h\x`, "c:/x",
		"/C:/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, p string) {
		_, _, _ = SplitSourceURI(p)
		_, _, _ = SplitSourceURI("debugger://source/" + p)
		_, _, _ = SplitSourceURI("debugger://sessions/" + p)
		if !IsAbs(p) || strings.ContainsRune(p, 0) || strings.Trim(p, "/") == "" || slashedDrive().MatchString(p) {
			return
		}
		session, got, err := SplitSourceURI(SourceURI(p))
		require.NoError(t, err)
		require.Empty(t, session)
		require.Equal(t, p, got)
		session, got, err = SplitSourceURI(SessionSourceURI("s1", p))
		require.NoError(t, err)
		require.Equal(t, "s1", session)
		require.Equal(t, p, got)
	})
}
