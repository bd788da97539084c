package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
	"breakwire/mapping"
)

// visiting is a program that passes one line of each file.
func visiting(files ...string) daptest.Program {
	var steps []daptest.Step
	for _, f := range files {
		steps = append(steps, daptest.Step{File: f, Line: 1, Func: "Main()"})
	}
	return daptest.Program{Threads: []daptest.Thread{{Code: daptest.Lines(steps...)}}}
}

// visit steps through a program to the last of its files.
func (p *peer) visit(files ...string) {
	p.t.Helper()
	p.tool("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll"})
	for range files[1:] {
		p.tool("debug_step", nil)
	}
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// realTemp is a temporary folder whose path has no links.
func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

func TestSourceNames(t *testing.T) {
	dir := realTemp(t)
	names := []string{"plain.cs", "with space.cs", "50%.cs", "a#b.cs", "ünïcödé-文.cs", "a%20b.cs", "sub/deep.cs",
		"q+x&y=z.cs"}
	if runtime.GOOS != "windows" {
		names = append(names, "what?.cs")
	}
	var files []string
	for _, name := range names {
		files = append(files, write(t, filepath.Join(dir, filepath.FromSlash(name)), "// "+name+"\n"))
	}
	eachEra(t, func(t *testing.T, e era) {
		p, _ := e.connect(t, visiting(files...))
		p.visit(files...)
		for i, name := range names {
			want := "// " + name + "\n"
			require.Equal(t, want, p.text(mapping.SourceURI(files[i])), "as the template expands")
			require.Equal(t, want, p.text("debugger://source/"+url.PathEscape(files[i])))
			require.Equal(t, want, p.text(mapping.SessionSourceURI("s1", files[i])))
			if name != "a%20b.cs" { // in raw form it is the encoded form of another file
				require.Equal(t, want, p.text("debugger://source/"+filepath.ToSlash(files[i])), "raw")
			}
			require.Equal(t, want, p.text("debugger://source/"+url.PathEscape(filepath.Base(files[i]))), "only its end")
			got := p.tool("source_get", mcptest.Args{"file": files[i]})
			require.Equal(t, []string{"// " + name}, got.Strings("lines"))
		}
	})
}

func TestSourceIsNotAllowed(t *testing.T) {
	dir := realTemp(t)
	named := write(t, filepath.Join(dir, "src", "named.cs"), "named\n")
	gone := filepath.Join(dir, "src", "gone.cs")
	secret := write(t, filepath.Join(dir, "secret.txt"), "secret\n")
	big := write(t, filepath.Join(dir, "src", "big.cs"), strings.Repeat("x", 4<<20+1))
	fits := write(t, filepath.Join(dir, "src", "fits.cs"), strings.Repeat("x", 4<<20-2048))
	twin := write(t, filepath.Join(dir, "other", "named.cs"), "twin\n")
	files := []string{named, gone, big, fits, filepath.Join(dir, "src"), twin}
	links := runtime.GOOS != "windows"
	if links {
		require.NoError(t, os.Symlink(secret, filepath.Join(dir, "src", "out.cs")))
		require.NoError(t, os.Symlink(named, filepath.Join(dir, "in.cs")))
		require.NoError(t, os.Symlink(filepath.Join(dir, "src"), filepath.Join(dir, "alias")))
		write(t, filepath.Join(dir, "real", "aliased.cs"), "aliased\n")
		require.NoError(t, os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "folder")))
		files = append(files, filepath.Join(dir, "src", "out.cs"), filepath.Join(dir, "folder", "aliased.cs"))
	}
	eachEra(t, func(t *testing.T, e era) {
		p, _ := e.connect(t, visiting(files...))
		p.visit(files...)
		require.Equal(t, "named\n", p.text(mapping.SourceURI(filepath.Join(dir, "src", "..", "src", ".", "named.cs"))))
		require.Len(t, p.text(mapping.SourceURI(fits)), 4<<20-2048)
		for _, path := range []string{
			secret, filepath.Join(dir, "src") + "/../secret.txt", filepath.Join(dir, "nothing.cs"), "/etc/passwd",
			"../../etc/passwd", "/src/../etc/passwd",
			"passwd", `C:\Windows\win.ini`, `\\server\share\a.cs`, filepath.Join(dir, "src"), big, dir, "med.cs",
		} {
			p.refused(mapping.SourceURI(path), "SOURCE_NOT_ALLOWED", e.notThere)
			r := p.AwaitCall(p.Begin("tools/call",
				p.with(map[string]any{"name": "source_get", "arguments": map[string]any{"file": path}})))
			require.Equal(t, "SOURCE_NOT_ALLOWED", r.String("error.code"), "%s: %s", path, r.Raw)
		}
		data := p.refused("debugger://source/named.cs", "SOURCE_NOT_ALLOWED", e.notThere)
		require.ElementsMatch(t, []string{named, twin}, data.Strings("details.files"), "two of that name")
		p.refused(mapping.SourceURI(gone), "SOURCE_NOT_FOUND", e.notThere)
		if links {
			// a named file, but the link leads outside
			p.refused(mapping.SourceURI(filepath.Join(dir, "src", "out.cs")), "SOURCE_NOT_ALLOWED", e.notThere)
			require.Equal(t, "named\n", p.text(mapping.SourceURI(filepath.Join(dir, "in.cs"))), "a link to a named file")
			require.Equal(t, "named\n", p.text(mapping.SourceURI(filepath.Join(dir, "alias", "named.cs"))))
			require.Equal(t, "aliased\n", p.text(mapping.SourceURI(filepath.Join(dir, "folder", "aliased.cs"))),
				"named below a folder that is a link")
		}
		p.tool("debug_disconnect", nil)
		p.refused(mapping.SourceURI(named), "NO_SESSION", e.notThere)
	})
}

func TestSourceOfAnotherMachine(t *testing.T) {
	dir := realTemp(t)
	write(t, filepath.Join(dir, "Sub", "Program.cs"), "mapped\n")
	paths, err := mapping.ParsePathMap(`C:\build=`+dir, "/_/src="+dir)
	if runtime.GOOS == "windows" {
		t.Skip("the client's paths would be Windows paths too")
	}
	require.NoError(t, err)
	for _, remote := range []string{`C:\build\Sub\Program.cs`, `c:/build/Sub/Program.cs`, "/_/src/Sub/Program.cs"} {
		t.Run(remote, func(t *testing.T) {
			_, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), visiting(remote))
			m := adapter.NewManager(adapter.Options{Backends: fakes.Backends("netcoredbg"), PathMap: paths})
			p := &peer{Client: mcptest.Serve(t, m, mcpserver.Options{}), era: eras[0], t: t}
			p.visit(remote)
			local := filepath.Join(dir, "Sub", "Program.cs")
			for _, path := range []string{local, remote, "Program.cs", "Sub/Program.cs"} {
				require.Equal(t, "mapped\n", p.text(mapping.SourceURI(path)), path)
			}
			require.Equal(t, local, p.tool("source_get", mcptest.Args{"file": remote}).String("file"))
		})
	}
	t.Run("not mapped", func(t *testing.T) {
		p, _ := eras[0].connect(t, visiting(`C:\build\Sub\Program.cs`))
		p.visit("one")
		p.refused(mapping.SourceURI(`c:/build/sub/program.cs`), "SOURCE_NOT_FOUND", -32002)
	})
}

func TestSourceGet(t *testing.T) {
	var text strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&text, "line %d\r\n", i+1)
	}
	file := write(t, filepath.Join(realTemp(t), "long.cs"), text.String())
	p, _ := eras[0].connect(t, visiting(file))
	p.Refused(fault.NoSession, "source_get", mcptest.Args{"file": file})
	p.visit(file)
	whole := p.Do("source_get", mcptest.Args{"file": file})
	require.Equal(t, 1000, whole.Len("lines"))
	require.Equal(t, 1500, whole.Int("totalLines"))
	part := p.Do("source_get", mcptest.Args{"file": "long.cs", "around_line": 1499, "context_lines": 2})
	require.Equal(t, []string{"line 1497", "line 1498", "line 1499", "line 1500"}, part.Strings("lines"))
	require.Equal(t, 1497, part.Int("startLine"))
	p.Refused(fault.InvalidLine, "source_get", mcptest.Args{"file": file, "around_line": 1501})
	p.Refused(fault.InvalidParameter, "source_get", mcptest.Args{"file": " "})
}

// TestLoadedSources: sources that a backend lists can be read, after the request at a stop and after an event.
func TestLoadedSources(t *testing.T) {
	dir := realTemp(t)
	listed, late := write(t, filepath.Join(dir, "listed.cs"), "listed\n"),
		write(t, filepath.Join(dir, "late.cs"), "late\n")
	shape := daptest.LLDB()
	shape.Capabilities = strings.TrimSuffix(strings.Replace(shape.Capabilities, `"supportsLoadedSourcesRequest":false,`,
		"", 1), "}") +
		`,"supportsLoadedSourcesRequest":true}`
	m, fakes := mcptest.Fake(t, "lldb-dap", shape, loop(daptest.Forever), func(a *daptest.Adapter) {
		a.OnRequest("loadedSources", func(*dapclient.Message) daptest.Action {
			path, _ := json.Marshal(listed)
			return daptest.Raw(`{"seq":99,"type":"response","request_seq":$seq,"command":"loadedSources",` +
				`"success":true,"body":` +
				`{"sources":[{"name":"listed.cs","path":` + string(path) + `},{"name":"no path"}]}}`)
		})
	})
	p := &peer{Client: mcptest.Serve(t, m, mcpserver.Options{}), era: eras[0], t: t}
	p.Do("debug_launch", mcptest.Args{"program": "/src/loop", "stop_at_entry": false})
	p.refused(mapping.SourceURI(listed), "SOURCE_NOT_ALLOWED", -32002)
	p.Do("debug_pause", nil)
	p.Do("threads_list", nil) // answered after earlier requests
	require.Equal(t, "listed\n", p.text(mapping.SourceURI(listed)))
	p.refused(mapping.SourceURI(late), "SOURCE_NOT_ALLOWED", -32002)
	path, err := json.Marshal(late)
	require.NoError(t, err)
	fakes.Last().Event("loadedSource", `{"reason":"new","source":{"path":`+string(path)+`}}`)
	p.Do("threads_list", nil)
	require.Equal(t, "late\n", p.text(mapping.SourceURI(late)))
}

// symbolsOf is a fake netcoredbg on this machine whose program has a real .NET module with symbols.
func symbolsOf(t *testing.T, app string, bound ...int) (*peer, string) {
	t.Helper()
	dll := fixtures.Program("dotnet", app, "bin", app+".dll")
	source := "/src/" + app + "/Program.cs" // as in its PDB
	program := visiting(source, source)
	program.Path = dll
	program.Sources = map[string][]int{source: bound}
	_, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), program)
	backends := fakes.Backends("netcoredbg")
	fake := backends.Custom["fake"]
	fake.Local = true
	backends.Custom["fake"] = fake
	paths, err := mapping.ParsePathMap("/src=" + fixtures.Program("dotnet"))
	require.NoError(t, err)
	m := adapter.NewManager(adapter.Options{Backends: backends, PathMap: paths})
	return &peer{Client: mcptest.Serve(t, m, mcpserver.Options{}), era: eras[0], t: t}, fixtures.Program("dotnet", app,
		"Program.cs")
}

// TestLinesBySymbols: a breakpoint that netcoredbg does not bind is refused when the symbols of a loaded module name
// its file.
func TestLinesBySymbols(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the path map of the recorded symbols needs POSIX paths")
	}
	p, source := symbolsOf(t, "LoopApp", 21, 22)
	late := p.Do("breakpoint_set", mcptest.Args{"file": source, "line": 30}).String("breakpoint.id")
	p.Do("breakpoint_set", mcptest.Args{"file": source, "line": 21})
	launch := p.Do("debug_launch", mcptest.Args{"program": fixtures.Program("dotnet", "LoopApp", "bin", "LoopApp.dll")})
	require.Equal(t, 1, launch.Len("breakpoints"), "%s", launch.Raw)
	require.Equal(t, late, launch.String("breakpoints.0.id"))
	require.Equal(t, "failed", launch.String("breakpoints.0.state"))
	require.Equal(t, "line 30 has no code; the nearest line that has some is 28", launch.String("breakpoints.0.message"))

	refused := p.Refused(fault.InvalidLine, "breakpoint_set", mcptest.Args{"file": source, "line": 29})
	require.Equal(t, 28, refused.Int("error.details.nearestLine"))
	p.Refused(fault.InvalidLine, "tracepoint_set", mcptest.Args{"file": source, "line": 29, "log_message": "x"})
	require.Equal(t, 2, p.Do("breakpoint_list", nil).Int("count"), "nothing is left behind")
	pending := p.Do("breakpoint_set", mcptest.Args{"file": source, "line": 27})
	require.Equal(t, "pending", pending.String("breakpoint.state"), "there is code, so it is something else")

	require.Contains(t, p.text("debugger://source/Program.cs"), "namespace LoopApp")
	completion := p.Request("completion/complete", map[string]any{
		"ref":      map[string]any{"type": "ref/resource", "uri": "debugger://source/{file}"},
		"argument": map[string]any{"name": "file", "value": "PROG"},
	})
	require.Equal(t, source, mcptest.NewResult(t, completion.Result).String("completion.values.0"))
}

func TestModulesList(t *testing.T) {
	program := visiting("/src/a.cs", "/src/a.cs")
	program.Modules = []daptest.Module{
		{Path: "/usr/share/dotnet/shared/Microsoft.NETCore.App/9.0.5/System.Private.CoreLib.dll"},
		{Path: "/app/Library.dll", Symbols: true},
	}
	p, _ := eras[0].connect(t, program)
	p.Refused(fault.NoSession, "modules_list", nil)
	p.Do("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll"})
	all := p.Do("modules_list", nil)
	require.Equal(t, 3, all.Int("count"))
	require.Equal(t, 2, p.Do("modules_list", mcptest.Args{"include_system": false}).Int("count"))
	one := p.Do("modules_list", mcptest.Args{"name_filter": "LIB", "include_system": false})
	require.Equal(t, 1, one.Int("count"))
	require.Equal(t, "loaded", one.String("modules.0.symbolStatus"))
	require.Equal(t, 2, p.Do("modules_list", mcptest.Args{"name_filter": "*l*.dll", "include_system": false}).Int("count"))
	require.Equal(t, 3, p.read("debugger://modules").Int("count"))

	m, _ := mcptest.Fake(t, "dlv", daptest.Delve(), loop(daptest.Forever))
	delve := mcptest.Serve(t, m, mcpserver.Options{})
	delve.Do("debug_launch", mcptest.Args{"program": "/src/loop", "stop_at_entry": false})
	require.Equal(t, "modules", delve.Refused(fault.NotSupported, "modules_list", nil).String("error.details.feature"))

	m, _ = mcptest.Fake(t, "debugpy", daptest.Debugpy(), loop(daptest.Forever))
	python := mcptest.Serve(t, m, mcpserver.Options{})
	python.Do("debug_launch", mcptest.Args{"program": "/src/loop.py", "stop_at_entry": false})
	require.False(t, python.Call("modules_list", nil).IsError)
}
