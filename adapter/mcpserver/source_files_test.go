package mcpserver_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
	"breakwire/mapping"
)

// refusedSource reads a file with the tool and as a resource; both must be refused.
func (p *peer) refusedSource(code fault.Code, path string) {
	p.t.Helper()
	r := p.AwaitCall(p.Begin("tools/call", p.with(map[string]any{"name": "source_get",
		"arguments": map[string]any{"file": path}})))
	require.Equal(p.t, string(code), r.String("error.code"), "%s: %s", path, r.Raw)
	p.refused(mapping.SourceURI(path), string(code), p.notThere)
}

// TestSourceIsNoDevice: the program's debug information names the server's own environment, devices and pipes. None
// of them is opened, by any path.
func TestDevicesAreNotReadAsSources(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths of Unix")
	}
	t.Setenv("ONLY_HERE", "hidden-4711")
	dir := realTemp(t)
	pipe := makePipe(t, filepath.Join(dir, "pipe.c"))
	require.NoError(t, os.Symlink("/proc/self/environ", filepath.Join(dir, "environ.c")))
	require.NoError(t, os.Symlink("/proc/self", filepath.Join(dir, "self")))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "zero.c")))
	require.NoError(t, os.Symlink("/proc/self/root"+dir, filepath.Join(dir, "round")))
	write(t, filepath.Join(dir, "plain.c"), "plain\n")
	files := []string{
		"/proc/self/environ", "/proc/self/status", "/dev/zero", "/dev/stdin", "/sys/kernel/notes", pipe,
		filepath.Join(dir, "environ.c"),
		filepath.Join(dir, "self", "environ"), filepath.Join(dir, "zero.c"), filepath.Join(dir, "round", "plain.c"),
		dir,
	}
	eachEra(t, func(t *testing.T, e era) {
		p, _ := e.connect(t, visiting(files...))
		stop := p.tool("debug_launch", mcptest.Args{"program": "/src/LoopApp/LoopApp.dll"})
		for _, file := range files {
			require.Equal(t, file, stop.String("stop.location.file"))
			require.False(t, stop.Has("stop.source"), "%s: %s", file, stop.Raw)
			p.refusedSource(fault.SourceNotAllowed, file)
			if file != dir {
				stop = p.tool("debug_step", nil)
			}
		}
		require.NotContains(t, string(stop.Raw), "hidden-4711")
	})
}

// replayedVisit is a fake that the server treats as a recording.
func replayedVisit(t *testing.T, o adapter.Options, files ...string) *peer {
	t.Helper()
	_, fakes := mcptest.Fake(t, "netcoredbg", daptest.Netcoredbg(), visiting(files...))
	o.Backends = fakes.Backends("netcoredbg")
	fake := o.Backends.Custom["fake"]
	fake.Replayed = true
	o.Backends.Custom["fake"] = fake
	return &peer{Client: mcptest.Serve(t, adapter.NewManager(o), mcpserver.Options{}), era: eras[0], t: t}
}

// TestReplayReadsOnlyItsSources: a recording from somebody else can name any file. Only sources below the project
// root and the path maps' folders are read.
func TestReplayReadsOnlyItsSources(t *testing.T) {
	dir := realTemp(t)
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	good := write(t, at("root", "good.py"), "good\n")
	mapped := write(t, at("mapped", "sub", "m.py"), "mapped\n")
	outside := write(t, at("outside.py"), "hidden-4711\n")
	files := []string{
		good, "/build/sub/m.py", outside, write(t, at("root", "notes.txt"), "hidden-4711\n"), write(t, at("root",
			".env"), "hidden-4711\n"),
		write(t, at("root", "binary.py"), "hidden-4711\x00\n"), at("root", "gone.py"), at("nowhere.py"),
	}
	if os.Symlink(outside, at("root", "out.py")) == nil && os.Symlink(dir, at("root", "up")) == nil {
		files = append(files, at("root", "out.py"), at("root", "up", "outside.py"))
	}
	paths, err := mapping.ParsePathMap("/build=" + at("mapped"))
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		options adapter.Options
		shown   map[string]string // by the client's path
		gone    fault.Code        // for a missing file below the root
	}{
		"neither": {adapter.Options{}, nil, fault.SourceNotAllowed},
		"root":    {adapter.Options{ProjectRoot: at("root")}, map[string]string{good: "good"}, fault.SourceNotFound},
		"map":     {adapter.Options{PathMap: paths}, map[string]string{mapped: "mapped"}, fault.SourceNotAllowed},
		"both": {adapter.Options{ProjectRoot: at("root"), PathMap: paths}, map[string]string{good: "good",
			mapped: "mapped"}, fault.SourceNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(dir) // the working folder alone permits nothing
			p := replayedVisit(t, tc.options, files...)
			stop := p.tool("debug_launch", mcptest.Args{"program": "x"})
			for i := range files {
				file := stop.String("stop.location.file")
				if line, ok := tc.shown[file]; ok {
					require.Equal(t, line+"\n", p.text(mapping.SourceURI(file)))
					require.True(t, stop.Has("stop.source"), file)
				} else {
					code := fault.SourceNotAllowed
					if file == at("root", "gone.py") {
						code = tc.gone
					}
					p.refusedSource(code, file)
					require.False(t, stop.Has("stop.source"), file)
				}
				require.NotContains(t, string(stop.Raw), "hidden-4711")
				if i < len(files)-1 {
					stop = p.tool("debug_step", nil)
				}
			}
		})
	}
}
