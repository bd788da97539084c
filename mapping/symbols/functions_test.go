package symbols

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/fixtures"
)

// The functions of a Go program are read with a symbol table and without one, for each system's format.
func TestFunctions(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "main.go")
	require.NoError(t, os.WriteFile(file, []byte("package main\n\ntype T struct{}\n\n//go:noinline\nfunc (t *T) Method() "+
		"int { return 1 }\n\nfunc main() { println((&T{}).Method()) }\n"), 0o600))
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, flags := range [][]string{nil, {"-ldflags=-s -w"}} {
			build := exec.Command("go", slices.Concat([]string{"build", "-o", "program"}, flags, []string{file})...)
			build.Dir, build.Env = folder, append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
			out, err := build.CombinedOutput()
			require.NoError(t, err, "%s", out)
			program, err := os.ReadFile(filepath.Join(folder, "program"))
			require.NoError(t, err)
			names, err := Functions(bytes.NewReader(program))
			require.NoError(t, err)
			if system == "windows" && flags != nil {
				require.Empty(t, names) // the table of the runtime has no section of its own there
				continue
			}
			require.Subset(t, names, []string{"main.main", "main.(*T).Method"}, "%s %v", system, flags)
		}
	}
}

// What is no executable, or a damaged one, gives no names.
func TestFunctionsOfAnything(t *testing.T) {
	_, err := Functions(bytes.NewReader([]byte("no program")))
	require.Error(t, err)
	whole, err := os.ReadFile(fixtures.BuildGo(t, "loop"))
	require.NoError(t, err)
	for at := 0; at < len(whole); at += len(whole)/40 + 1 {
		_, _ = Functions(bytes.NewReader(whole[:at]))
		broken := bytes.Clone(whole)
		for i := at; i < min(at+64, len(broken)); i++ {
			broken[i] ^= 0xff
		}
		_, _ = Functions(bytes.NewReader(broken))
	}
}
