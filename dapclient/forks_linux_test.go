package dapclient

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A shell forks for a subshell: a child with its own name. Other programs that it runs are not its forks.
func TestForksOf(t *testing.T) {
	for script, tt := range map[string]struct {
		input string
		want  Forks
	}{
		"echo ready; read x":                     {"", Forks{}},
		"(echo ready; read x); exit 1":           {"", Forks{Children: []int{1}}},
		"(exit 0); echo ready; read x":           {"", Forks{Reaped: true}},
		"cat; exit 1":                            {"ready\n", Forks{}},
		"(exit 0); (echo ready; read x); exit 1": {"", Forks{Children: []int{1}, Reaped: true}},
	} {
		cmd := exec.Command("sh", "-c", script)
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		_, err = io.WriteString(in, tt.input)
		require.NoError(t, err)
		_, err = io.ReadFull(out, make([]byte, len("ready\n")))
		require.NoError(t, err, script)
		got := ForksOf(cmd.Process.Pid)
		assert.Equal(t, len(tt.want.Children), len(got.Children), script)
		assert.Equal(t, tt.want.Reaped, got.Reaped, script)
		in.Close()
		io.Copy(io.Discard, out)
		cmd.Wait()
	}
	assert.Empty(t, ForksOf(1<<30))
}

func TestCallsFork(t *testing.T) {
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	assert.True(t, CallsFork(sh))
	for _, exe := range []string{os.Args[0], "/etc/passwd", "/nowhere"} {
		assert.False(t, CallsFork(exe), exe)
	}
}
