package mcptest

import (
	"bufio"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// RunLong starts a program that prints lines repeatedly, without a debugger, and waits for its first line. said waits
// for the next line. The program ends with the test.
func RunLong(t testing.TB, command ...string) (pid int, said func()) {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := make(chan string, 1)
	go func() {
		defer close(lines)
		for scan := bufio.NewScanner(out); scan.Scan(); {
			select {
			case lines <- scan.Text():
			default: // nobody waits for the line
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		for range lines { // until its end
		}
		_ = cmd.Wait()
	})
	said = func() {
		t.Helper()
		for drained := false; !drained; { // earlier lines do not count
			select {
			case <-lines:
			default:
				drained = true
			}
		}
		_, ok := <-lines
		require.True(t, ok, "the program has ended")
	}
	_, ok := <-lines
	require.True(t, ok, "the program has ended")
	return cmd.Process.Pid, said
}
