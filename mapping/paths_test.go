package mapping

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"POSIX", "/src//LoopApp/./x/../Program.cs", "/src/LoopApp/Program.cs"},
		{"POSIX backslash is a character", `/src/a\b.cs`, `/src/a\b.cs`},
		{"relative", "./src/a.cs", "src/a.cs"},
		{"Windows", `c:\src\LoopApp\Program.cs`, `C:\src\LoopApp\Program.cs`},
		{"Windows with slashes", "c:/src/./x/../a.cs", `C:\src\a.cs`},
		{"drive", "c:", "C:"},
		{"drive root", "c:/", `C:\`},
		{"above the drive", `C:\..\a`, `C:\a`},
		{"UNC", `\\Server\Share/x\..\a.cs`, `\\Server\Share\a.cs`},
		{"not a drive", "c:file", "c:file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Clean(tt.in)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, got, Clean(got), "clean stays clean")
		})
	}
}

func TestSameFile(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       bool
	}{
		{"same", "/src/a.cs", "/src/a.cs", true},
		{"by form", "/src/./a.cs", "/src//a.cs", true},
		{"POSIX case counts", "/src/A.cs", "/src/a.cs", false},
		{"drive letter case", `c:\src\a.cs`, `C:\src\a.cs`, true},
		{"separators", `C:\src\a.cs`, "C:/src/a.cs", true},
		{"Windows case", `C:\Src\A.cs`, `C:\src\a.cs`, true},
		{"other drive", `C:\a.cs`, `D:\a.cs`, false},
		{"never by name alone", "/src/a.cs", "a.cs", false},
		{"other kind", `C:\a.cs`, "/a.cs", false},
		{"nothing is no file", "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, SameFile(tt.a, tt.b))
			assert.Equal(t, tt.want, SameFile(tt.b, tt.a))
		})
	}
}

func TestIsAbsAndBase(t *testing.T) {
	tests := []struct {
		in   string
		abs  bool
		base string
	}{
		{"/src/a.cs", true, "a.cs"},
		{`C:\src\a.cs`, true, "a.cs"},
		{"c:/a.cs", true, "a.cs"},
		{`\\s\h\a.cs`, true, "a.cs"},
		{"a.cs", false, "a.cs"},
		{"src/a.cs", false, "a.cs"},
		{"C:", false, ""},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.abs, IsAbs(tt.in), tt.in)
		assert.Equal(t, tt.base, Base(tt.in), tt.in)
	}
}

func TestPathMap(t *testing.T) {
	tests := []struct {
		name          string
		rules         []string
		remote, local string
	}{
		{"no rules", nil, "/src/a.cs", "/src/a.cs"},
		{"folder", []string{"/build=/home/me"}, "/build/x/a.cs", "/home/me/x/a.cs"},
		{"the folder itself", []string{"/build=/home/me"}, "/build", "/home/me"},
		{"separator at the end", []string{"/build/=/home/me/"}, "/build/a.cs", "/home/me/a.cs"},
		{"not a folder with that beginning", []string{"/src=/x"}, "/src2/a.cs", "/src2/a.cs"},
		{"longest wins", []string{"/src=/a", "/src/lib=/b"}, "/src/lib/x.cs", "/b/x.cs"},
		{"first of two alike", []string{"/src=/a", "/src=/b"}, "/src/x.cs", "/a/x.cs"},
		{"deterministic", []string{"/_/=/home/me/repo"}, "/_/src/a.cs", "/home/me/repo/src/a.cs"},
		{"deterministic to Windows", []string{`/_/=C:\repo`}, "/_/src/a.cs", `C:\repo\src\a.cs`},
		{"Windows to POSIX", []string{`C:\build=/src`}, `C:\build\x\a.cs`, "/src/x/a.cs"},
		{"the drive letter as given", []string{`c:\build=/src`}, `c:\build\x\a.cs`, "/src/x/a.cs"},
		{"root", []string{"/=/mnt/image"}, "/src/a.cs", "/mnt/image/src/a.cs"},
		{"drive root", []string{`C:\=/mnt/c`}, `C:\src\a.cs`, "/mnt/c/src/a.cs"},
		{"UNC", []string{`\\s\h=/mnt/h`}, `\\s\h\a.cs`, "/mnt/h/a.cs"},
		{"equals sign on the right", []string{"/b=/a=c"}, "/b/x", "/a=c/x"},
		{"module", []string{"example.com/app=/home/me"}, "example.com/app/x/a.go", "/home/me/x/a.go"},
		{"unicode", []string{"/größe=/世界"}, "/größe/é.cs", "/世界/é.cs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := ParsePathMap(tt.rules...)
			require.NoError(t, err)
			assert.Equal(t, len(tt.rules) == 0, m.Empty())
			assert.Equal(t, tt.local, m.ToLocal(tt.remote))
			assert.Equal(t, tt.remote, m.ToRemote(tt.local))
		})
	}
}

func TestPathMapForms(t *testing.T) {
	m, err := ParsePathMap(`C:\Build=/src`)
	require.NoError(t, err)
	assert.Equal(t, "/src/a.cs", m.ToLocal("c:/build/a.cs"), "case and separators")
	assert.Equal(t, `D:\go\main.go`, m.ToLocal("D:/go/main.go"), "as Go's compiler spells it")
	assert.Equal(t, `D:\go\main.go`, PathMap{}.ToLocal("D:/go/main.go"))
	assert.Equal(t, `d:\go\main.go`, m.ToLocal(`d:\go\main.go`))
	assert.Equal(t, "", m.ToLocal(""))
	assert.Equal(t, "relative/a.cs", m.ToLocal("relative/a.cs"))
	assert.Equal(t, "/other/./a.cs", m.ToRemote("/other/./a.cs"), "what is not mapped is not touched")
}

func TestParsePathMapErrors(t *testing.T) {
	for _, in := range []string{"", "/a", "=", "/a=", "=/b", "/a=b", "a=b"} {
		_, err := ParsePathMap("/ok=/ok", in)
		assert.ErrorContains(t, err, "path map", in)
	}
}

func TestNamedPathMaps(t *testing.T) {
	m, err := ParsePathMap("/build=/a", "example.com/app=/home/me/app", `example.com/lib=C:\lib`)
	require.NoError(t, err)
	assert.Equal(t, []SourceFolder{{"/home/me/app", "example.com/app"}, {`C:\lib`, "example.com/lib"}}, m.Named())
}

func TestGuessSourceFolder(t *testing.T) {
	for _, tt := range []struct {
		file  string
		names []string
		want  SourceFolder
	}{
		{"/home/me/app/cmd/main.go", []string{"example.com/app/cmd/main.go"}, SourceFolder{"/home/me", "example.com"}},
		{"/home/me/x/main.go", []string{"trim/main.go"}, SourceFolder{"/home/me/x", "trim"}},
		{"/home/me/app/a.go", []string{"/build/lib/a.go", "/build/app/a.go"}, SourceFolder{"/home/me", "/build"}},
		{`C:\src\app\a.go`, []string{"/build/app/a.go"}, SourceFolder{`C:\src`, "/build"}},
		{"/src/app/a.go", []string{"C:/build/app/a.go"}, SourceFolder{"/src", "C:/build"}},
		{"/home/me/app/a.go", []string{"/build/app/b.go"}, SourceFolder{}},
		{"/home/me/app/a.go", []string{"a.go"}, SourceFolder{}},
		{"/home/me/app/a.go", nil, SourceFolder{}},
		{"a.go", []string{"/build/a.go"}, SourceFolder{}},
	} {
		got, ok := GuessSourceFolder(tt.file, tt.names)
		assert.Equal(t, tt.want != SourceFolder{}, ok, tt.file)
		if ok {
			assert.Equal(t, tt.want, got, tt.file)
		}
	}
}

func FuzzPathMap(f *testing.F) {
	f.Add("/src", `C:\x`, "/src/a/b.cs")
	f.Add(`C:\`, "/", "c:/a")
	f.Fuzz(func(t *testing.T, from, to, p string) {
		m, err := ParsePathMap(from + "=" + to)
		if err != nil {
			return
		}
		m.ToLocal(p)
		m.ToRemote(p)
		require.Equal(t, Clean(p), Clean(Clean(p)))
	})
}
