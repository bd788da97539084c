package daptest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"breakwire/dapclient"
)

// Action is what a hook does with a request. The zero Action answers it normally.
type Action struct {
	// Before and After are bodies sent as frames before and after the answer, in the same write.
	Before, After []string
	// Raw is the body of the answer in place of the normal one. The request has no effect.
	Raw string
	// Fail answers with success false and this message. The request has no effect.
	Fail string
	// Swallow never answers. The request has no effect.
	Swallow bool
	// Until holds the request and all later ones until it is closed or sent to.
	Until <-chan struct{}
	// Aside, with Until, lets the later requests pass: answers out of order.
	Aside bool
	// CutAt, when positive, sends only the first bytes of the action's output, then ends the adapter.
	CutAt int
	// Die ends the adapter after the action's output.
	Die bool
}

// Fail returns an Action that refuses the request.
func Fail(message string) Action { return Action{Fail: message} }

// Swallow returns an Action that never answers.
func Swallow() Action { return Action{Swallow: true} }

// Hold returns an Action that answers normally when the gate opens.
func Hold(gate <-chan struct{}) Action { return Action{Until: gate} }

// Raw returns an Action that answers with this frame body. "$seq" in it becomes the seq of the request.
func Raw(body string) Action { return Action{Raw: body} }

// Gate returns a channel to wait on and the function that opens it, which may be called twice.
func Gate() (gate <-chan struct{}, open func()) {
	c := make(chan struct{})
	opened := make(chan struct{}, 1)
	opened <- struct{}{}
	return c, func() {
		select {
		case <-opened:
			close(c)
		default:
		}
	}
}

// OnRequest sets the hook for requests of a command ("*": all commands without their own hook); nil removes it. The
// hook is called when the request is handled, not when it arrives. It may call the methods of the Adapter, except
// Close and those that wait.
func (a *Adapter) OnRequest(command string, hook func(*dapclient.Message) Action) {
	a.lmu.Lock()
	defer a.lmu.Unlock()
	if hook == nil {
		delete(a.hooks, command)
		return
	}
	a.hooks[command] = hook
}

// Once sets a hook that is used for the next request of the command only.
func (a *Adapter) Once(command string, action Action) {
	a.OnRequest(command, func(*dapclient.Message) Action {
		a.OnRequest(command, nil)
		return action
	})
}

func (a *Adapter) hook(command string) func(*dapclient.Message) Action {
	a.lmu.Lock()
	defer a.lmu.Unlock()
	if len(a.hooks) == 0 {
		return nil
	}
	if h := a.hooks[command]; h != nil {
		return h
	}
	return a.hooks["*"]
}

func (a *Adapter) hooked(command string) bool { return a.hook(command) != nil }

// serve handles one request with its hook or normally. It runs on the engine.
func (a *Adapter) serve(m *dapclient.Message) {
	h := a.hook(m.Name)
	if h == nil {
		a.handle(m)
		return
	}
	act := h(m)
	switch {
	case act.Until == nil:
		a.act(m, act)
	case act.Aside:
		a.wait(act.Until, func() { a.act(m, act) })
	default:
		a.hold(act.Until, func() { a.act(m, act) })
	}
}

func (a *Adapter) act(m *dapclient.Message, act Action) {
	mark := a.wire.queued()
	for _, b := range act.Before {
		a.wire.body([]byte(b))
	}
	switch {
	case act.Swallow:
	case act.Raw != "":
		a.wire.body([]byte(strings.ReplaceAll(act.Raw, "$seq", fmt.Sprint(m.Seq))))
	case act.Fail != "":
		a.wire.response(m, false, act.Fail, nil)
	default:
		a.handle(m)
	}
	for _, b := range act.After {
		a.wire.body([]byte(b))
	}
	if act.CutAt > 0 {
		a.wire.cut(mark, act.CutAt)
	}
	if act.CutAt > 0 || act.Die {
		a.wire.flush()
		a.Die()
	}
}

// Send writes bodies as frames, all in one write, between the messages of the engine. seq is not changed.
func (a *Adapter) Send(bodies ...string) {
	for _, b := range bodies {
		a.wire.body([]byte(b))
	}
	a.wire.flush()
}

// SendBytes writes bytes unchanged: broken headers, half frames, garbage.
func (a *Adapter) SendBytes(p []byte) {
	a.wire.bytes(p)
	a.wire.flush()
}

// Event sends an event with the adapter's next seq. body is JSON or empty.
func (a *Adapter) Event(name, body string) {
	a.wire.event(name, []byte(body))
	a.wire.flush()
}

// ChunkWrites makes the client's reads return pieces of random length, which split and join frames. The same seed
// gives the same pieces for the same reads.
func (a *Adapter) ChunkWrites(seed uint64) { a.down.Chunk(seed) }

// StallReads stops or resumes reading what the client writes, like an adapter that hangs. The client's writes wait.
func (a *Adapter) StallReads(on bool) { a.up.Stall(on) }

// Received returns the requests received, oldest first; Raw has each as it was sent. It keeps only the latest 20,000.
func (a *Adapter) Received() []*dapclient.Message {
	a.lmu.Lock()
	defer a.lmu.Unlock()
	return append([]*dapclient.Message(nil), a.received...)
}

// Commands returns the commands received, in order.
func (a *Adapter) Commands() []string {
	a.lmu.Lock()
	defer a.lmu.Unlock()
	names := make([]string, len(a.received))
	for i, m := range a.received {
		names[i] = m.Name
	}
	return names
}

// Requests returns the kept requests of one command.
func (a *Adapter) Requests(command string) []*dapclient.Message {
	a.lmu.Lock()
	defer a.lmu.Unlock()
	var found []*dapclient.Message
	for _, m := range a.received {
		if m.Name == command {
			found = append(found, m)
		}
	}
	return found
}

// Count returns how many requests of a command were received.
func (a *Adapter) Count(command string) int {
	a.lmu.Lock()
	defer a.lmu.Unlock()
	return a.counts[command]
}

// WaitFor returns the next request of the command that no WaitFor has returned before, and waits for it. It fails the
// test when none comes.
func (a *Adapter) WaitFor(command string) *dapclient.Message {
	a.tb.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		a.lmu.Lock()
		seen := a.waited[command] // the entry tells note that a WaitFor waits
		a.waited[command] = seen
		if m := a.nth(command, seen); m != nil {
			a.waited[command]++
			a.lmu.Unlock()
			return m
		}
		arrived := a.arrived
		a.lmu.Unlock()
		select {
		case <-arrived:
		case <-a.done:
			a.tb.Fatalf("the adapter ended before a request %q came; received: %v", command, a.Commands())
		case <-deadline.C:
			a.tb.Fatalf("no request %q within %v; received: %v", command, patience, a.Commands())
		}
	}
}

// nth returns the n-th request of a command, counted from 0, if it is still kept. It needs lmu held.
func (a *Adapter) nth(command string, n int) *dapclient.Message {
	skip := n - a.counts[command] // negative if the request was received
	for i := len(a.received) - 1; i >= 0 && skip < 0; i-- {
		if a.received[i].Name == command {
			if skip++; skip == 0 {
				return a.received[i]
			}
		}
	}
	return nil
}

// ThreadID returns the id of the n-th thread of the program.
func (a *Adapter) ThreadID(n int) int { return a.threads[n].id } // the ids never change

// Stdio returns the standard streams of this process as one stream, for Serve.
func Stdio() io.ReadWriteCloser { return stdio{} }

type stdio struct{}

func (stdio) Read(p []byte) (int, error)  { return os.Stdin.Read(p) }
func (stdio) Write(p []byte) (int, error) { return os.Stdout.Write(p) }

func (stdio) Close() error { return errors.Join(os.Stdin.Close(), os.Stdout.Close()) }
