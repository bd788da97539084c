package main

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
)

// proxy passes the bytes of one session between an editor and an adapter, with one goroutine for each direction. It
// records bytes before it passes them on, so that a request comes before its answer.
type proxy struct {
	recorder *witness
	process  *dapclient.Process // nil when we did not start it
	adapter  io.ReadWriteCloser
}

// partingTime is how long an adapter may run after the end of its input. Adapters need less to end their program.
const partingTime = 10 * time.Second

// pass returns when the adapter has closed its side, or partingTime after the end of its input. A read from the
// editor that cannot be interrupted keeps its goroutine.
func (p *proxy) pass(ctx context.Context, client io.ReadWriteCloser) {
	fromClient, fromAdapter := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(fromClient)
		p.copy(p.adapter, client, dapclient.Sent)
	}()
	go func() {
		defer close(fromAdapter)
		p.copy(client, p.adapter, dapclient.Received)
	}()
	select {
	case <-fromAdapter:
		client.Close()
		return
	case <-fromClient:
	case <-ctx.Done():
	}
	p.closeInput()
	select {
	case <-fromAdapter:
	case <-time.After(partingTime):
	}
	client.Close()
}

// copy passes on and records bytes until either end fails. It reads the adapter to its end even after the editor has
// gone, because a full pipe would keep the adapter from ending.
func (p *proxy) copy(to io.Writer, from io.Reader, dir dapclient.Direction) {
	tap := transcript.NewTap(p.recorder, dir)
	defer tap.Flush()
	buf := make([]byte, 64<<10)
	gone := false
	for {
		n, err := from.Read(buf)
		if n > 0 {
			tap.Write(buf[:n])
			if !gone {
				if _, writeErr := to.Write(buf[:n]); writeErr != nil {
					if dir == dapclient.Sent {
						return
					}
					gone = true
					p.closeInput()
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// closeInput ends the adapter's input.
func (p *proxy) closeInput() {
	if half, ok := p.adapter.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
	if p.process != nil {
		p.process.CloseStdin()
	}
}

// end reaps the adapter and returns its exit status as an error. It ends a launched program that the adapter has
// left.
func (p *proxy) end() error {
	defer p.adapter.Close()
	if p.process == nil {
		return nil
	}
	p.process.Stop(partingTime / 5)
	p.recorder.endProgram()
	if code := p.process.ExitCode(); code != 0 {
		return statusError(code) // the adapter has printed the reason
	}
	return nil
}

// witness records, and remembers the launched program, which may outlive an adapter that dies.
type witness struct {
	to dapclient.Recorder

	mu       sync.Mutex
	launched bool
	detached bool
	pid      int
	start    string
}

// Record is called for both directions.
func (w *witness) Record(dir dapclient.Direction, body []byte) {
	w.to.Record(dir, body)
	m, err := dapclient.Decode(body)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case dir == dapclient.Sent && m.Name == "launch":
		w.launched = true
	case dir == dapclient.Sent && m.Name == "disconnect":
		var args struct{ TerminateDebuggee *bool }
		w.detached = json.Unmarshal(m.Arguments, &args) == nil && args.TerminateDebuggee != nil && !*args.TerminateDebuggee
	case dir == dapclient.Received && m.Kind == dapclient.KindEvent && m.Name == "process":
		var body struct {
			SystemProcessID int
			IsLocalProcess  *bool
		}
		if json.Unmarshal(m.Body, &body) != nil || body.IsLocalProcess != nil && !*body.IsLocalProcess {
			return
		}
		if info, err := dapclient.FindProcess(body.SystemProcessID); err == nil {
			w.pid, w.start = info.Pid, info.Start
		}
	}
}

// endProgram kills the launched program if it still runs and was not detached.
func (w *witness) endProgram() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.launched && !w.detached && w.start != "" {
		_ = dapclient.KillPid(w.pid, w.start) // mostly it has ended already
	}
}
