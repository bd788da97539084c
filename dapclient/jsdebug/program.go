package jsdebug

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"breakwire/dapclient"
)

// inspect makes Node wait before the first line of the program, for a debugger on a free port.
const inspect = "--inspect-brk=127.0.0.1:0"

// lastOutput is how long the end of a program waits for the rest of its output, which a child may hold open.
const lastOutput = 300 * time.Millisecond

// program is the process that the bridge started, a node or what starts one.
type program struct {
	proc      *dapclient.Process
	inspector chan string   // takes the addresses of inspectors: 127.0.0.1:PORT/UUID
	drained   chan struct{} // closed at the end of both outputs
}

// launch is what the bridge needs of the launch arguments.
type launch struct {
	Program           string             `json:"program"`
	Args              []string           `json:"args"`
	Cwd               string             `json:"cwd"`
	Env               map[string]*string `json:"env"`
	RuntimeExecutable string             `json:"runtimeExecutable"`
	RuntimeArgs       []string           `json:"runtimeArgs"`
	Stdin             string             `json:"stdin"`
	StopOnEntry       bool               `json:"stopOnEntry"`
	SkipScripts       []string           `json:"skipScripts"` // of a package, whose nodes are not the program
}

// nodeName matches the names of Node's executables, which take its options.
var nodeName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:node(js)?(-?\d+)?(\.exe)?)$`) })

// command returns how to start the program under the inspector. What is no node itself gets the option by its
// environment.
func (l launch) command() (dapclient.Command, error) {
	c := dapclient.Command{Path: l.RuntimeExecutable, Dir: l.Cwd}
	if c.Path == "" {
		c.Path = "node"
	}
	env := l.environ()
	if l.isNode() {
		c.Args = append(c.Args, inspect)
	} else {
		options := inspect
		if have := lookup(env, "NODE_OPTIONS"); have != "" {
			options = have + " " + options
		}
		env = set(env, "NODE_OPTIONS", options)
	}
	c.Args = append(c.Args, l.RuntimeArgs...)
	if l.Program != "" {
		c.Args = append(c.Args, l.Program)
	}
	c.Args = append(c.Args, l.Args...)
	c.Env = env
	if len(c.Args) == 0 {
		return c, errors.New("nothing names a program to start: give program")
	}
	return c, nil
}

// isNode reports whether the command is node itself, not something that starts one.
func (l launch) isNode() bool {
	return l.RuntimeExecutable == "" || nodeName().MatchString(filepath.Base(l.RuntimeExecutable))
}

func (l launch) environ() []string {
	env := os.Environ()
	for name, value := range l.Env {
		env = unset(env, name)
		if value != nil {
			env = append(env, name+"="+*value)
		}
	}
	return env
}

func unset(env []string, name string) []string {
	out := env[:0:0]
	for _, v := range env {
		if have, _, _ := strings.Cut(v, "="); have != name {
			out = append(out, v)
		}
	}
	return out
}

func set(env []string, name, value string) []string { return append(unset(env, name), name+"="+value) }

func lookup(env []string, name string) string {
	for _, v := range env {
		if have, value, _ := strings.Cut(v, "="); have == name {
			return value
		}
	}
	return ""
}

// startProgram starts the program. say takes its output.
func startProgram(l launch, guard []string, log *slog.Logger, say func(stream, text string)) (*program, error) {
	c, err := l.command()
	if err != nil {
		return nil, err
	}
	p := &program{inspector: make(chan string, 16), drained: make(chan struct{})}
	read, write := io.Pipe()
	c.Log, c.Stderr = log, write
	proc, stream, err := dapclient.StartStdio(c)
	if err != nil {
		return nil, err
	}
	p.proc = proc
	if len(guard) > 0 {
		if err := proc.Guard(guard); err != nil {
			log.Warn("nothing will end the program if we are killed", "error", err)
		}
	}
	go p.feed(l.Stdin, stream)
	var outputs sync.WaitGroup
	outputs.Go(func() { pump(stream, func(text string) { say("stdout", text) }) })
	words := &nodeWords{inspector: p.inspector}
	outputs.Go(func() { pump(read, func(text string) { say("stderr", words.without(text)) }) })
	go func() {
		<-proc.Exited()
		write.Close()
	}()
	go func() {
		outputs.Wait()
		close(p.drained)
	}()
	return p, nil
}

// pump gives what comes from a stream to say, until its end.
func pump(from io.Reader, say func(string)) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			say(string(buf[:n]))
		}
		if err != nil {
			return
		}
	}
}

// feed passes the file that is the program's input on. Without one the input is at its end.
func (p *program) feed(path string, to io.Writer) {
	defer p.proc.CloseStdin()
	if path == "" {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = io.Copy(to, f)
}

// reach waits until the program's inspector listens, and returns its host and port, and its path. What a command starts
// besides the program runs on, also later.
func (p *program) reach(ctx context.Context, l launch) (address, path string, err error) {
	for {
		select {
		case at := <-p.inspector:
			if !l.isNode() {
				if found, err := letGo(ctx, at, l.isProgram); err == nil && !found {
					continue
				}
				go p.letOthersGo()
			}
			address, path, _ = strings.Cut(at, "/")
			return address, "/" + path, nil
		case <-p.proc.Exited():
			return "", "", fmt.Errorf("it ended with %s before Node's inspector listened", p.proc.ExitStatus())
		case <-ctx.Done():
			return "", "", fmt.Errorf("the inspector of Node did not listen: %w", context.Cause(ctx))
		}
	}
}

// letOthersGo lets run what the command starts after the program.
func (p *program) letOthersGo() {
	for {
		select {
		case at := <-p.inspector:
			_, _ = letGo(context.Background(), at, func(string, string) bool { return false })
		case <-p.proc.Exited():
			return
		}
	}
}

// ended waits for the end of the program and its output, and returns its exit code, or the negative number of the
// signal that ended it.
func (p *program) ended() int {
	<-p.proc.Exited()
	timer := time.NewTimer(lastOutput)
	defer timer.Stop()
	select {
	case <-p.drained:
	case <-timer.C:
	}
	if signal := p.proc.Signal(); signal != 0 {
		return -signal
	}
	return p.proc.ExitCode()
}
