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

// Action is what a hook wants done with a request. The zero Action answers it normally.
type Action struct {
	// Before and After are bodies sent as frames around the answer, in the same write.
	Before, After []string
	// Raw is sent as the body of the answer in place of the normal one; the
	// request has no effect.
	Raw string
	// Fail answers with success:false and this message; the request has no effect.
	Fail string
	// Swallow never answers; the request has no effect.
	Swallow bool
	// Until holds the request, and with it all behind it, until it is closed or sent to.
	Until <-chan struct{}
	// Aside, with Until, lets the requests behind it pass: answers out of order.
	Aside bool
	// CutAt, when positive, sends only the first bytes of what this action would send, then ends the
	// adapter.
	CutAt int
	// Die ends the adapter after what was sent.
	Die bool
}

// Fail is an Action that refuses the request.
func Fail(message string) Action { return Action{Fail: message} }

// Swallow is an Action that never answers.
func Swallow() Action { return Action{Swallow: true} }

// Hold is an Action that answers normally when the gate opens.
func Hold(gate <-chan struct{}) Action { return Action{Until: gate} }

// Raw is an Action that answers with these bytes as the body of the frame; "$seq" in them becomes the
// seq of the request.
func Raw(body string) Action { return Action{Raw: body} }

// Gate returns a channel to wait on and the function that opens it; opening twice is harmless.
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

// OnRequest sets what happens at requests of a command ("*": all without their own hook); nil takes
// the hook away. The hook is called when the request is handled, not when it
// arrives. It may call the methods of the Adapter, except Close and those that wait.
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

// serve handles one request by its hook, else normally. The engine is owned.
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

// Send writes bodies as frames, all in one write, between whatever the engine sends.
// Seq is as given.
func (a *Adapter) Send(bodies ...string) {
	for _, b := range bodies {
		a.wire.body([]byte(b))
	}
	a.wire.flush()
}

// SendBytes writes bytes as they are: broken headers, half frames, garbage.
func (a *Adapter) SendBytes(p []byte) {
	a.wire.bytes(p)
	a.wire.flush()
}

// Event sends an event with the adapter's own seq; body is JSON or empty.
func (a *Adapter) Event(name, body string) {
	a.wire.event(name, []byte(body))
	a.wire.flush()
}

// ChunkWrites makes the client's reads return pieces of random length, that cut frames anywhere and join
// them. The same seed gives the same pieces for the same reads.
func (a *Adapter) ChunkWrites(seed uint64) { a.down.Chunk(seed) }

// StallReads stops (or lets go on) taking what the client writes, as an adapter that hangs: the
// client's writes wait.
func (a *Adapter) StallReads(on bool) { a.up.Stall(on) }

// Received returns the requests received, oldest first; Raw holds each as it was sent. Of very many the
// latest are kept.
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

// Count says how many requests of a command were received.
func (a *Adapter) Count(command string) int {
	a.lmu.Lock()
	defer a.lmu.Unlock()
	return a.counts[command]
}

// WaitFor returns the next request of the command that no WaitFor has returned before, and
// waits for it if need be. It fails the test when none comes.
func (a *Adapter) WaitFor(command string) *dapclient.Message {
	a.tb.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		a.lmu.Lock()
		seen := a.waited[command] // the entry tells note that somebody waits
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

// nth returns the n-th request of a command, counted from 0, if it is still kept. lmu is held.
func (a *Adapter) nth(command string, n int) *dapclient.Message {
	skip := n - a.counts[command] // negative when there is one
	for i := len(a.received) - 1; i >= 0 && skip < 0; i-- {
		if a.received[i].Name == command {
			if skip++; skip == 0 {
				return a.received[i]
			}
		}
	}
	return nil
}

// ThreadID is the id of the n-th thread of the program.
func (a *Adapter) ThreadID(n int) int { return a.threads[n].id } // never changes

// Stdio joins the standard streams of this process, for Serve.
func Stdio() io.ReadWriteCloser { return stdio{} }

type stdio struct{}

func (stdio) Read(p []byte) (int, error)  { return os.Stdin.Read(p) }
func (stdio) Write(p []byte) (int, error) { return os.Stdout.Write(p) }

func (stdio) Close() error { return errors.Join(os.Stdin.Close(), os.Stdout.Close()) }
