package mcpserver_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
)

// A program of Go or Python that a signal ends says which one, without an exit code; one that catches it has its own.
func TestLiveSignalsOfGoAndPython(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: Windows has no signals")
	}
	const goText = `package main

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

func main() {
	number, _ := strconv.Atoi(os.Args[1])
	caught := make(chan os.Signal, 1)
	if len(os.Args) > 2 {
		signal.Notify(caught, syscall.Signal(number))
	}
	syscall.Kill(syscall.Getpid(), syscall.Signal(number))
	<-caught
	os.Exit(7)
}
`
	const pythonText = `import os, signal, sys, threading
number = int(sys.argv[1])
caught = threading.Event()
signal.signal(number, (lambda *_: caught.set()) if len(sys.argv) > 2 else signal.SIG_DFL)
os.kill(os.getpid(), number)
caught.wait()
os._exit(7)
`
	check := func(t *testing.T, c *mcptest.Client, program string) {
		for number, name := range map[string]string{"1": "SIGHUP", "2": "SIGINT", "15": "SIGTERM"} {
			for _, args := range [][]string{{number}, {number, "caught"}} {
				r := c.Do("debug_launch", mcptest.Args{"program": program, "args": args, "stop_at_entry": false,
					"wait": true})
				require.Equal(t, "terminated", r.String("session.state"), "%s: %s", name, r.Raw)
				if len(args) == 1 {
					assert.Equal(t, name, r.String("session.signal"), "%s", r.Raw)
					assert.Equal(t, "signal", r.String("session.endReason"), "%s", r.Raw)
					assert.False(t, r.Has("session.exitCode"), "%s", r.Raw)
					continue
				}
				assert.Equal(t, 7, r.Int("session.exitCode"), "%s: %s", name, r.Raw)
				assert.Equal(t, "exited", r.String("session.endReason"), "%s", r.Raw)
			}
		}
	}
	t.Run("go", func(t *testing.T) {
		folder := t.TempDir()
		writeGo(t, folder, goText)
		check(t, liveDelve(t), folder)
	})
	t.Run("python", func(t *testing.T) {
		c, file := livePython(t, pythonText)
		check(t, c, file)
	})
}

// A variable of the environment arrives whatever its name is, and with each of its characters.
func TestLiveEnvironmentOfAnyName(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: Windows has rules of its own")
	}
	env := map[string]string{"BW A": "1", "BW.b": "2", "BWü": "3", `BW"q'`: "4", "BW$(x)": "5", "BWempty": "",
		"BWlines": "a\nb", "BWequal": "a=b", "BWspace": "  x  ", "BW%d": `"x" 'y' $HOME`}
	var want []string
	for name, value := range env {
		want = append(want, name+"="+value)
	}
	check := func(t *testing.T, c *mcptest.Client, program string) {
		c.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false, "wait": true, "env": env})
		text := c.Do("process_read_output", mcptest.Args{"tail_lines": 100}).String("stdout")
		require.ElementsMatch(t, want, strings.Split(strings.TrimSuffix(strings.TrimSpace(text), ";"), ";"))
	}
	t.Run("go", func(t *testing.T) {
		folder := t.TempDir()
		writeGo(t, folder, `package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	for _, e := range os.Environ() {
		if strings.HasPrefix(e, "BW") {
			fmt.Print(e, ";")
		}
	}
}
`)
		check(t, liveDelve(t), folder)
	})
	t.Run("c", func(t *testing.T) {
		_, program := writeC(t, t.TempDir(), `#include <stdio.h>
#include <string.h>
extern char **environ;
int main(void) {
    for (char **e = environ; *e; e++)
        if (!strncmp(*e, "BW", 2)) printf("%s;", *e);
}
`)
		check(t, liveLLDB(t), program)
	})
	t.Run("python", func(t *testing.T) {
		c, file := livePython(t, `import os
for name, value in os.environ.items():
    if name.startswith("BW"):
        print(name + "=" + value, end=";")
`)
		check(t, c, file)
	})
}
