package golang

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/sourcefile"
	programsymbols "breakwire/mapping/symbols"
)

func TestModuleFolders(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	write("app/go.mod", "// the program\nmodule \"example.com/app\" // quoted\n\ngo 1.21\n")
	write("app/tools/go.mod", "module example.com/app/tools\n")
	write("lib/go.mod", "module example.com/lib\n")
	write("work/go.work", "go 1.21\n\nuse (\n\t./one // first\n\t./two\n)\n\nuse ./three\n")
	for _, name := range []string{"one", "two", "three"} {
		write("work/"+name+"/go.mod", "module example.com/"+name+"\n")
	}
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	app := programsymbols.GoModule{Path: "example.com/app", Name: "example.com/app"}
	tools := programsymbols.GoModule{Path: "example.com/app/tools", Name: "example.com/app/tools"}
	lib := programsymbols.GoModule{Path: "example.com/lib", Name: "example.com/lib@v1.0.0", Folder: "../lib"}
	for _, tt := range []struct {
		name    string
		modules []programsymbols.GoModule
		near    string
		want    [][2]string
	}{
		{"in the module", []programsymbols.GoModule{app}, "app", [][2]string{{at("app"), "example.com/app"}}},
		{"below the module", []programsymbols.GoModule{app}, "app/bin/x", [][2]string{{at("app"), "example.com/app"}}},
		{"another module", []programsymbols.GoModule{app}, "lib", nil},
		{"no module", nil, "app", nil},
		{"replaced by a folder", []programsymbols.GoModule{app, lib}, "app",
			[][2]string{{at("app"), "example.com/app"}, {at("lib"), "example.com/lib@v1.0.0"}}},
		{"a module inside another one", []programsymbols.GoModule{app, tools}, "app/tools",
			[][2]string{{at("app/tools"), "example.com/app/tools"}, {at("app"), "example.com/app"}}},
		{"a workspace", []programsymbols.GoModule{{Path: "example.com/three", Name: "example.com/three"},
			{Path: "example.com/two", Name: "example.com/two"}}, "work/one", [][2]string{
			{at("work/three"), "example.com/three"}, {at("work/two"), "example.com/two"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, moduleFolders(tt.modules, []string{at(tt.near)}))
		})
	}
}

// A file main.go of one program is no moved source of another's: no path map helps.
func TestFilesOfAnotherProgram(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	reader := sourcefile.Reader{Most: 1 << 20}
	a, b, same := write("a.go", "package a"), write("b.go", "package b"), write("c.go", "package a")
	require.True(t, differ(reader, a, b))
	require.False(t, differ(reader, a, same))
	require.False(t, differ(reader, a, filepath.Join(folder, "missing.go")))
	require.False(t, differ(reader, a, os.DevNull), "what the program names may be no source file")
}
