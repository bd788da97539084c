package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// debugger is a debug adapter, and how the floor starts it.
type debugger struct {
	name   string // its name in breakwire
	start  func(p *program) (*raw, error)
	launch func(p *program, builds bool) any
}

func delve(path string) *debugger {
	return &debugger{name: "dlv", start: func(p *program) (*raw, error) {
		return startListening(p.dir(), path, "dap", "--listen=127.0.0.1:0")
	}, launch: func(p *program, builds bool) any {
		if builds {
			return args{"mode": "debug", "program": p.dir(), "cwd": p.dir()}
		}
		return args{"mode": "exec", "program": p.path}
	}}
}

func netcoredbgOf(path string) *debugger {
	return &debugger{name: "netcoredbg", start: func(*program) (*raw, error) {
		return startPiped(path, "--interpreter=vscode")
	}, launch: func(p *program, _ bool) any {
		return args{"program": p.path, "args": []string{}, "cwd": p.dir(), "justMyCode": true, "stopAtEntry": false}
	}}
}

// raw is a DAP client that sends one request at a time: the floor.
type raw struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	frames chan message
	seq    int
	events []message // received while waiting for an answer
}

type message struct {
	Type       string          `json:"type"`
	Event      string          `json:"event"`
	Command    string          `json:"command"`
	RequestSeq int             `json:"request_seq"`
	Success    bool            `json:"success"`
	Message    string          `json:"message"`
	Body       json.RawMessage `json:"body"`
}

func startPiped(path string, arguments ...string) (*raw, error) {
	cmd := exec.Command(path, arguments...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return newRaw(cmd, in, out), nil
}

// startListening connects to the address that the adapter prints.
func startListening(dir, path string, arguments ...string) (*raw, error) {
	cmd := exec.Command(path, arguments...)
	cmd.Dir = dir // Delve leaves its build in its working folder
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	told := bufio.NewReader(out)
	line, err := told.ReadString('\n')
	if err == nil {
		var conn net.Conn
		if conn, err = net.Dial("tcp", strings.TrimSpace(line[strings.LastIndex(line, " ")+1:])); err == nil {
			go func() { _, _ = io.Copy(io.Discard, told) }()
			return newRaw(cmd, conn, conn), nil
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return nil, fmt.Errorf("%s: %w", path, err)
}

func newRaw(cmd *exec.Cmd, in io.WriteCloser, out io.Reader) *raw {
	r := &raw{cmd: cmd, in: in, frames: make(chan message, 1024)}
	go func() {
		defer close(r.frames)
		reader := bufio.NewReaderSize(out, 1<<16)
		for {
			m, err := readFrame(reader)
			if err != nil {
				return
			}
			r.frames <- m
		}
	}()
	return r
}

func readFrame(r *bufio.Reader) (m message, err error) {
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return m, fmt.Errorf("read a frame: %w", err)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

func (r *raw) send(command string, arguments any) (int, error) {
	r.seq++
	body, err := json.Marshal(map[string]any{"seq": r.seq, "type": "request", "command": command, "arguments": arguments})
	if err != nil {
		return 0, err
	}
	_, err = fmt.Fprintf(r.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return r.seq, err
}

func (r *raw) read(deadline <-chan time.Time) (message, error) {
	select {
	case m, open := <-r.frames:
		if !open {
			return m, errors.New("the debugger has ended")
		}
		return m, nil
	case <-deadline:
		return message{}, errors.New("no answer of the debugger")
	}
}

// answer waits for a response and decodes its body into `into` unless that is nil.
func (r *raw) answer(seq int, into any) error {
	timer := time.NewTimer(answerIn)
	defer timer.Stop()
	for {
		m, err := r.read(timer.C)
		switch {
		case err != nil:
			return err
		case m.Type == "event":
			r.events = append(r.events, m)
		case m.Type == "response" && m.RequestSeq == seq:
			if !m.Success {
				return fmt.Errorf("%s: %s", m.Command, m.Message)
			}
			if into == nil || len(m.Body) == 0 {
				return nil
			}
			return json.Unmarshal(m.Body, into)
		}
	}
}

func (r *raw) ask(command string, arguments, into any) error {
	seq, err := r.send(command, arguments)
	if err != nil {
		return err
	}
	return r.answer(seq, into)
}

// event waits for an event by name, and skips others.
func (r *raw) event(name string) (message, error) {
	timer := time.NewTimer(answerIn)
	defer timer.Stop()
	for {
		for len(r.events) > 0 {
			m := r.events[0]
			r.events = r.events[1:]
			if m.Event == name {
				return m, nil
			}
			if m.Event == "terminated" {
				return m, errors.New("the program has ended")
			}
		}
		m, err := r.read(timer.C)
		if err != nil {
			return m, err
		}
		switch {
		case m.Type == "event":
			r.events = append(r.events, m)
		case m.Type == "response" && !m.Success: // of the launch, whose answer is not waited for
			return m, fmt.Errorf("%s: %s %s", m.Command, m.Message, m.Body)
		}
	}
}

// stopped waits for a stop and returns its thread id.
func (r *raw) stopped() (int, error) {
	m, err := r.event("stopped")
	if err != nil {
		return 0, err
	}
	var body struct {
		ThreadID int `json:"threadId"`
	}
	return body.ThreadID, json.Unmarshal(m.Body, &body)
}

// launch launches the program and returns the thread id of the first stop.
func (r *raw) launch(p *program, builds bool) (int, error) {
	if err := r.ask("initialize", args{"adapterID": "peers", "linesStartAt1": true, "columnsStartAt1": true,
		"pathFormat": "path"}, nil); err != nil {
		return 0, err
	}
	// Delve answers before `initialized`, netcoredbg after configurationDone, so the answer is not waited for.
	if _, err := r.send("launch", p.debug.launch(p, builds)); err != nil {
		return 0, err
	}
	if _, err := r.event("initialized"); err != nil {
		return 0, err
	}
	if err := r.ask("setBreakpoints", args{"source": args{"path": p.source}, "breakpoints": []args{{"line": p.line}}},
		nil); err != nil {
		return 0, err
	}
	if err := r.ask("configurationDone", args{}, nil); err != nil {
		return 0, err
	}
	return r.stopped()
}

func (r *raw) next(thread int) (int, error) {
	if err := r.ask("continue", args{"threadId": thread}, nil); err != nil {
		return 0, err
	}
	return r.stopped()
}

// look requests the stack, the variables of the top frame and one evaluation.
func (r *raw) look(thread int) error {
	var stack struct {
		StackFrames []struct {
			ID int `json:"id"`
		} `json:"stackFrames"`
	}
	if err := r.ask("stackTrace", args{"threadId": thread, "levels": 20}, &stack); err != nil {
		return err
	}
	if len(stack.StackFrames) == 0 {
		return errors.New("no frames")
	}
	frame := stack.StackFrames[0].ID
	var scopes struct {
		Scopes []struct {
			VariablesReference int `json:"variablesReference"`
		} `json:"scopes"`
	}
	if err := r.ask("scopes", args{"frameId": frame}, &scopes); err != nil {
		return err
	}
	if len(scopes.Scopes) == 0 {
		return errors.New("no scopes")
	}
	if err := r.ask("variables", args{"variablesReference": scopes.Scopes[0].VariablesReference}, nil); err != nil {
		return err
	}
	return r.ask("evaluate", args{"expression": "square", "frameId": frame, "context": "watch"}, nil)
}

func (r *raw) close() {
	if seq, err := r.send("disconnect", args{"terminateDebuggee": true}); err == nil {
		_ = r.answer(seq, nil)
	}
	r.in.Close()
	timer := time.AfterFunc(5*time.Second, func() { _ = r.cmd.Process.Signal(os.Kill) })
	_ = r.cmd.Wait()
	timer.Stop()
}
