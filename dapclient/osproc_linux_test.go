package dapclient

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestParseStat(t *testing.T) {
	rest := " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20 21"
	tests := []struct {
		name, in, wantName string
		wantState          byte
		wantStart, wantErr string
	}{
		{"plain", "12 (dotnet)" + rest, "dotnet", 'S', "777", ""},
		{"brackets and spaces in the name", "12 (a) Z (b)" + rest, "a) Z (b", 'S', "777", ""},
		{"empty name", "12 ()" + rest, "", 'S', "777", ""},
		{"no name", "12", "", 0, "", "no name"},
		{"cut", "12 (x) S 1 2", "", 0, "", "stat has 5 fields"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name, state, start, err := parseStat([]byte(tt.in))
			if tt.wantErr != "" {
				require.ErrorContains(t, err, tt.wantErr)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.wantName, name)
			assert.Equal(t, string(tt.wantState), string(state))
			assert.Equal(t, tt.wantStart, start)
		})
	}
}

func TestThreadAlive(t *testing.T) {
	assert.True(t, ThreadAlive(os.Getpid(), os.Getpid()), "the first thread has the id of its process")
	assert.False(t, ThreadAlive(os.Getpid(), 1<<30))
	assert.False(t, ThreadAlive(1<<30, 1<<30))
}

func TestFullName(t *testing.T) {
	tests := []struct {
		name string
		in   ProcInfo
		want string
	}{
		{"short", ProcInfo{Name: "dotnet", Exe: "/usr/bin/dotnet-sdk"}, "dotnet"},
		{"from exe", ProcInfo{Name: "Contoso.Billing", Exe: "/app/Contoso.Billing.Worker"}, "Contoso.Billing.Worker"},
		{"from arguments",
			ProcInfo{Name: "Contoso.Billing", Exe: "/x/python", Args: []string{"./Contoso.Billing.Worker"}},
			"Contoso.Billing.Worker"},
		{"thread name", ProcInfo{Name: "some other name", Exe: "/usr/bin/dotnet"}, "some other name"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, fullName(tt.in)) })
	}
}

func TestScanMaps(t *testing.T) {
	const plain = "55e0-55e1 r-xp 00000000 08:01 131 /usr/bin/dotnet\n7ffd-7ffe rw-p 00000000 00:00 0 [stack]\n"
	const shared = "/usr/share/dotnet/shared/Microsoft.NETCore.App/"
	tests := []struct {
		name, in, version string
		ok, known         bool
	}{
		{"no runtime", plain, "", false, true},
		{"core library", plain + "7f-80 r--p 0 08:01 9 " + shared + "9.0.5/System.Private.CoreLib.dll\n", "9.0.5", true,
			true},
		{"runtime", plain + "7f-80 r--p 0 08:01 9 " + shared + "8.0.11/libcoreclr.so\n", "8.0.11", true, true},
		{"preview", plain + "7f-80 r--p 0 08:01 9 " + shared + "10.0.0-rc.1.25451.107/libcoreclr.so\n",
			"10.0.0-rc.1.25451.107", true, true},
		{"space in the path, deleted", "7f-80 r--p 0 08:01 9 /a b/Microsoft.NETCore.App/6.0.1/libcoreclr.so " +
			"(deleted)\n", "6.0.1", true, true},
		{"self-contained", plain + "7f-80 r--p 0 08:01 9 /app/libcoreclr.so\n", "", true, true},
		{"single file", plain + "7f-80 rwxs 0 00:01 9 /memfd:doublemapper (deleted)\n", "", true, true},
		{"another library there", plain + "7f-80 r--p 0 08:01 9 " + shared + "9.0.5/libclrjit-not.so\n", "", false, true},
		{"kernel thread or zombie", "", "", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			version, ok, known := scanMaps(strings.NewReader(tt.in))
			assert.Equal(t, tt.version, version)
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.known, known)
		})
	}
}

func TestHasCLROfGoProgram(t *testing.T) {
	version, ok, known := HasCLR(os.Getpid())
	assert.True(t, known)
	assert.False(t, ok)
	assert.Empty(t, version)
}

func TestZombieIsGone(t *testing.T) {
	cmd := exec.Command(role(t, "die").Path)
	cmd.Env = role(t, "die").Env
	require.NoError(t, cmd.Start())
	pid := cmd.Process.Pid
	// Not reaped until Wait below. Its threads end one by one.
	require.Eventually(t, func() bool {
		_, err := FindProcess(pid)
		return errors.Is(err, ErrNoProcess)
	}, patience, time.Millisecond)
	stat, err := os.ReadFile(procPath(pid, "stat"))
	require.NoError(t, err)
	require.Contains(t, string(stat), ") Z ")
	_, _, known := HasCLR(pid)
	assert.False(t, known)
	cmd.Wait()
}

// netcoredbg's thread ids are those of the system: they must not count as processes.
func TestThreadIsNoProcess(t *testing.T) {
	entries, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	for _, e := range entries {
		tid, err := strconv.Atoi(e.Name())
		require.NoError(t, err)
		_, err = FindProcess(tid)
		if tid == syscall.Getpid() {
			assert.NoError(t, err)
		} else {
			assert.ErrorIs(t, err, ErrNoProcess)
		}
	}
}

// The end of an unreaped process is detected, with its exit status.
func TestAwaitEndOfAZombie(t *testing.T) {
	for name, want := range map[string]string{"die": "exit status 3", "deaf": "signal SIGKILL"} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(role(t, name).Path)
			cmd.Env = role(t, name).Env
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			defer stdin.Close()
			require.NoError(t, cmd.Start())
			defer cmd.Wait()
			stat, err := os.ReadFile(procPath(cmd.Process.Pid, "stat"))
			require.NoError(t, err)
			_, _, start, err := parseStat(stat)
			require.NoError(t, err)
			if name == "deaf" {
				require.NoError(t, cmd.Process.Kill())
			}
			how, ended := AwaitEnd(t.Context(), cmd.Process.Pid, start)
			require.True(t, ended)
			require.Equal(t, want, how.String())
		})
	}
}

// The end of a process that its parent has reaped at once is detected too; newer kernels tell how it ended.
func TestAwaitEndOfTheReaped(t *testing.T) {
	for name, want := range map[string]string{"die": "exit status 3", "deaf": "signal SIGKILL"} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(role(t, name).Path)
			cmd.Env = role(t, name).Env
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			stdout, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			fd, err := unix.PidfdOpen(cmd.Process.Pid, 0)
			if err != nil {
				t.Skip("SKIPPED: this system has no descriptors of processes")
			}
			defer unix.Close(fd)
			require.False(t, endingOf(fd).Known, "it lives")
			if name == "deaf" {
				require.NoError(t, cmd.Process.Kill())
			}
			stdin.Close()
			io.Copy(io.Discard, stdout)
			cmd.Wait()
			how := endingOf(fd)
			if !how.Known {
				t.Skip("SKIPPED: this system does not keep how a process has ended")
			}
			require.Equal(t, want, how.String())
		})
	}
}

func TestAllDead(t *testing.T) {
	tasks := t.TempDir()
	thread := func(id, state string) {
		dir := filepath.Join(tasks, id)
		require.NoError(t, os.MkdirAll(dir, 0o700))
		text := id + " (x) " + state + " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20 21"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "stat"), []byte(text), 0o600))
	}
	thread("1", "Z")
	require.True(t, allDead(tasks))
	thread("2", "S")
	require.False(t, allDead(tasks), "the first thread has ended, the process lives")
	thread("2", "X")
	require.True(t, allDead(tasks))
}
