package dapclient

import (
	"bufio"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An adapter that ignores the end of its input ends when we are killed, with its children. The same holds for one
// that ends and leaves a child.
func TestGuardEndsWhatOutlivesUs(t *testing.T) {
	for _, adapter := range []string{"deaf parent", "parent"} {
		t.Run(adapter, func(t *testing.T) {
			us, said := startStdio(t, role(t, "guarding", adapter))
			line, err := bufio.NewReader(said).ReadString('\n')
			require.NoError(t, err)
			var below []ProcInfo
			for _, text := range strings.Fields(line) {
				pid, err := strconv.Atoi(text)
				require.NoError(t, err)
				info, err := FindProcess(pid)
				require.NoError(t, err)
				below = append(below, info)
			}
			require.Len(t, below, 2, "the adapter and its child")
			require.NoError(t, us.cmd.Process.Kill())
			waitExited(t, us)
			for _, info := range below {
				waitGone(t, info)
			}
		})
	}
}

// An adapter without a connection ends when we are killed.
func TestGuardWhileItStarts(t *testing.T) {
	us, said := startStdio(t, role(t, "starting"))
	log := bufio.NewReader(said)
	var adapter ProcInfo
	for !groupsEndWithUs || adapter.Pid == 0 { // without a guard
		line, err := log.ReadString('\n')
		require.NoError(t, err)
		if m := regexp.MustCompile(`msg="debug adapter started" pid=(\d+)`).FindStringSubmatch(line); m != nil {
			pid, err := strconv.Atoi(m[1])
			require.NoError(t, err)
			adapter, err = FindProcess(pid)
			require.NoError(t, err)
		}
		if strings.Contains(line, "debug adapter is guarded") {
			break
		}
	}
	require.NoError(t, us.cmd.Process.Kill())
	waitExited(t, us)
	waitGone(t, adapter)
}

// The guard is dismissed when we are connected to the adapter.
func TestGuardIsDismissed(t *testing.T) {
	cmd := role(t, "listener")
	cmd.Guard = []string{"env", roleVariable + "=guard", "GORACE=atexit_sleep_ms=0", os.Args[0]}
	p, conn, err := StartAnnounced(t.Context(), cmd, announcement)
	require.NoError(t, err)
	defer p.Stop(patience)
	defer conn.Close()
	if !groupsEndWithUs {
		<-p.guards[0]
	}
	require.Empty(t, p.ExitStatus())
}

// A guard ends with the process that it guards.
func TestGuardEndsWithItsProcess(t *testing.T) {
	p, _ := startStdio(t, role(t, "echo"))
	t.Setenv(roleVariable, "guard")
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	require.NoError(t, p.Guard([]string{os.Args[0]}))
	p.Stop(patience)
	require.Equal(t, "exit status 0", p.ExitStatus())
	if !groupsEndWithUs { // otherwise there is no guard
		<-p.guards[0]
	}
}

func TestRunGuard(t *testing.T) {
	p, _ := startStdio(t, role(t, "deaf"))
	info, err := FindProcess(p.Pid())
	require.NoError(t, err)
	guard := func(said, start string) {
		require.NoError(t, RunGuard(strings.NewReader(said), info.Pid, start, 0, time.Millisecond))
	}
	guard("\n", info.Start)
	require.True(t, Alive(info.Pid, info.Start), "its end was told")
	guard("", info.Start)
	waitExited(t, p)
	require.NotEqual(t, "exit status 0", p.ExitStatus())
}

// A process with the same pid but another start time is not killed.
func TestRunGuardKillsNoStranger(t *testing.T) {
	p, stream := startStdio(t, role(t, "echo"))
	require.NoError(t, RunGuard(strings.NewReader(""), p.Pid(), "another", 0, time.Millisecond))
	_, err := stream.Write([]byte("still here\n"))
	require.NoError(t, err)
	line, err := bufio.NewReader(stream).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "still here\n", line)
}
