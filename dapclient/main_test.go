package dapclient

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary starts itself as the adapter: this variable holds its role.
const roleVariable = "BREAKWIRE_TEST_ROLE"

func TestMain(m *testing.M) {
	name := os.Getenv(roleVariable)
	if name == "" {
		goleak.VerifyTestMain(m)
		return
	}
	role := roles[name]
	if role == nil {
		fmt.Fprintln(os.Stderr, "no role", name)
		os.Exit(99)
	}
	os.Exit(role())
}

// longer than any test: a process that sleeps so long must be killed
const forEver = 10 * time.Minute

func waitForEndOfInput() { io.Copy(io.Discard, os.Stdin) }

var roles = map[string]func() int{
	// echo returns its input, and ends at the end of the input.
	"echo": func() int {
		io.Copy(os.Stdout, os.Stdin)
		return 0
	},
	// die ends at once, as an adapter with a missing library does.
	"die": func() int {
		fmt.Fprint(os.Stderr, "libicu is missing\nsecond \xff line\r\nno line end")
		return 3
	},
	// deaf ignores the end of its input.
	"deaf": func() int {
		fmt.Println("ready")
		time.Sleep(forEver)
		return 0
	},
	// flood writes more to stderr than a pipe can hold, then echoes.
	"flood": func() int {
		for i := range 20_000 {
			fmt.Fprintf(os.Stderr, "line %d of the flood\n", i)
		}
		io.Copy(os.Stdout, os.Stdin)
		return 0
	},
	// talker still writes much after its input has ended, and then does something else.
	"talker": func() int {
		fmt.Println("ready")
		waitForEndOfInput()
		os.Stdout.Write(bytes.Repeat([]byte("late frame "), 50_000))
		fmt.Fprintln(os.Stderr, "debuggee ended")
		return 0
	},
	// parent leaves a child in its group, with its stdout and stderr.
	"parent": func() int {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), roleVariable+"=deaf")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(child.Process.Pid)
		waitForEndOfInput()
		return 0
	},
	// listener prints an address as Delve does and echoes on the first connection until its input ends.
	"listener": func() int {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println("a line before it")
		fmt.Println("DAP server listening at:", l.Addr())
		go func() {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Println("accepted one: DAP server listening at: 127.0.0.1:1")
			io.Copy(conn, conn)
		}()
		waitForEndOfInput()
		return 0
	},
	// elsewhere announces an address where no process listens.
	"elsewhere": func() int {
		fmt.Println("DAP server listening at: 127.0.0.1:1")
		waitForEndOfInput()
		return 0
	},
	// mute never announces anything.
	"mute": func() int {
		fmt.Fprintln(os.Stderr, "thinking")
		waitForEndOfInput()
		return 0
	},
	// environment prints its working directory, arguments and one variable.
	"environment": func() int {
		dir, _ := os.Getwd()
		fmt.Printf("%s|%s|%s\n", dir, strings.Join(os.Args[1:], ","), os.Getenv("BREAKWIRE_TEST_VALUE"))
		return 0
	},
	// guard is what Process.Guard starts.
	"guard": func() int {
		pid, _ := strconv.Atoi(os.Args[1])
		if err := RunGuard(os.Stdin, pid, os.Args[2], 0, 50*time.Millisecond); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	},
	// guarding starts an adapter in the role of its argument with a guard, passes on its first line and waits.
	"guarding": func() int {
		os.Setenv(roleVariable, os.Args[1])
		p, stream, err := StartStdio(Command{Path: os.Args[0]})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		os.Setenv(roleVariable, "guard")
		if err := p.Guard([]string{os.Args[0]}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		line, _ := bufio.NewReader(stream).ReadString('\n')
		fmt.Println(p.Pid(), strings.TrimSpace(line))
		time.Sleep(forEver)
		return 0
	},
	// starting waits for ever for the address of a deaf adapter, and writes the log to stdout.
	"starting": func() int {
		os.Setenv(roleVariable, "deaf")
		log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelDebug}))
		guard := []string{"env", roleVariable + "=guard", os.Args[0]}
		StartAnnounced(context.Background(), Command{Path: os.Args[0], Log: log, Guard: guard}, announcement)
		return 1
	},
	// deaf parent is a parent that ignores the end of its input too.
	"deaf parent": func() int {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), roleVariable+"=deaf")
		if err := child.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(child.Process.Pid)
		time.Sleep(forEver)
		return 0
	},
	// crash ends with a panic.
	"crash": func() int {
		bufio.NewReader(os.Stdin).ReadByte()
		panic("internal error of the adapter")
	},
}
