package program

import (
	"breakwire/adapter/fault"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// buildPatience bounds a build.
const buildPatience = 10 * time.Minute

// Build is the result of a command that ran before a launch. Its output is kept short, because a whole log costs a
// model more than it says.
type Build struct {
	Command  []string `json:"command"`
	Folder   string   `json:"folder"`
	ExitCode int      `json:"exitCode"`
	Millis   int64    `json:"durationMs"`
	Errors   []string `json:"errors,omitempty"` // lines that look like errors, each once
	Tail     string   `json:"tail,omitempty"`   // the last lines
}

// Limits of the kept output of a build.
const (
	keptErrors    = 20
	keptLine      = 500
	keptTailGood  = 3
	keptTailWrong = 20
)

// errorLine matches the error lines of compilers and build tools: file(1,2): error CS1002: ..., ./a.go:3:4: ..., error:
// ..., error[E0425]: ...
var errorLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(\berror\b\s*(\w*\d+)?\s*[:\[]|^error\b|^\S+\.go:\d+(:\d+)?: |\bfatal error\b|` +
		`^\S+:\d+:\d+: error)`)
})

// RunBuild runs a command in a folder, with an empty input, and passes each output line to line. It ends
// with the context and never runs again by itself. A command that fails is a LAUNCH_FAILED error with the errors that
// it printed.
func RunBuild(ctx context.Context, folder string, command []string, program string, line func(string)) (*Build, error) {
	command = slices.Clone(command)
	if len(command) == 0 || command[0] == "" {
		return nil, fault.Errorf(fault.InvalidParameter, "pre_build is empty; give a command such as [\"dotnet\",\"build\"]").
			With("parameter", "pre_build")
	}
	if slices.Equal(command, []string{"dotnet", "build"}) && isProject(program) {
		command = append(command, program)
	}
	b := &Build{Command: command, Folder: folder}
	ctx, cancel := context.WithTimeoutCause(ctx, buildPatience,
		fault.Errorf(fault.Timeout, "the build took more than %v", buildPatience))
	defer cancel()
	name := command[0]
	if _, err := exec.LookPath(name); err != nil && name == "dotnet" {
		if host, _ := FindDotnet(); host.Path != "" {
			name = host.Path
		}
	}
	out := &buildOutput{line: line}
	cmd := exec.CommandContext(ctx, name, command[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.Folder, out, out
	cmd.Env = SetEnv(DotnetEnv(os.Environ()), "MSBUILDDISABLENODEREUSE", "1") // else build servers outlive the command
	// for processes that the command left running with its output open
	cmd.WaitDelay = time.Second
	endWithGroup(cmd)
	began := time.Now()
	err := cmd.Run()
	b.Millis = time.Since(began).Milliseconds()
	out.end()
	b.Errors = out.errors
	if cmd.ProcessState != nil {
		b.ExitCode = cmd.ProcessState.ExitCode()
	}
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		b.Errors, b.Tail = nil, out.tail(keptTailGood)
		return b, nil
	}
	b.Tail = out.tail(keptTailWrong)
	shown := strings.Join(command, " ")
	if ctx.Err() != nil {
		return nil, fault.AsError(fault.OfContext(ctx)).With("build", b)
	}
	if cmd.ProcessState == nil {
		return nil, fault.Errorf(fault.LaunchFailed, "pre_build %s could not be started: %v", shown, err).With("build", b)
	}
	what := "see details.build.tail"
	if len(b.Errors) > 0 {
		what = b.Errors[0]
	}
	return nil, fault.Errorf(fault.LaunchFailed, "pre_build %s ended with %v, so nothing was launched: %s", shown, err,
		what).
		With("build", b)
}

// buildOutput splits the output of a build into lines.
type buildOutput struct {
	line func(string)

	mu     sync.Mutex
	rest   []byte // the incomplete last line
	last   []string
	errors []string
}

func (o *buildOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rest = append(o.rest, p...)
	for {
		i := bytes.IndexByte(o.rest, '\n')
		if i < 0 {
			if len(o.rest) > 64<<10 {
				o.take(string(o.rest))
				o.rest = nil
			}
			return len(p), nil
		}
		o.take(string(o.rest[:i]))
		o.rest = o.rest[i+1:]
	}
}

func (o *buildOutput) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.rest) > 0 {
		o.take(string(o.rest))
		o.rest = nil
	}
}

func (o *buildOutput) take(line string) {
	if line = strings.TrimSpace(strings.ToValidUTF8(line, "�")); line == "" {
		return
	}
	if r := []rune(line); len(r) > keptLine {
		line = string(r[:keptLine]) + "..."
	}
	if errorLine().MatchString(line) && len(o.errors) < keptErrors && !slices.Contains(o.errors, line) {
		o.errors = append(o.errors, line)
	}
	if o.last = append(o.last, line); len(o.last) > keptTailWrong {
		o.last = o.last[1:]
	}
	if o.line != nil {
		o.line(line)
	}
}

func (o *buildOutput) tail(lines int) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.last[max(0, len(o.last)-lines):], "\n")
}
