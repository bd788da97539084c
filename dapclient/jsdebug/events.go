package jsdebug

import (
	"encoding/json"
	"strings"

	"breakwire/dapclient"
)

// js-debug counts threads from 0, which is no thread elsewhere: the session's numbers are one higher.

// argumentsIn returns the arguments of a request as js-debug wants them: never absent, with its own thread.
func argumentsIn(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	var args map[string]json.RawMessage
	var thread int
	if json.Unmarshal(raw, &args) != nil || json.Unmarshal(args["threadId"], &thread) != nil {
		return raw
	}
	return with(args, "threadId", thread-1)
}

// with returns an object with one member replaced.
func with(object map[string]json.RawMessage, name string, value any) json.RawMessage {
	object[name], _ = json.Marshal(value)
	out, _ := json.Marshal(object)
	return out
}

// threadsOut returns the answer to threads with the session's numbers.
func threadsOut(answer *dapclient.Message) any {
	type thread struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	body, err := dapclient.DecodeBody[struct {
		Threads []thread `json:"threads"`
	}](answer)
	if err != nil || !answer.Success {
		return nil
	}
	list := []thread{}
	for _, t := range body.Threads {
		list = append(list, thread{t.ID + 1, t.Name})
	}
	return map[string]any{"threads": list}
}

// stopBody is the body of stopped, continued and thread events, as far as the bridge reads it.
type stopBody struct {
	Reason      string `json:"reason"`
	Description string `json:"description"`
	ThreadID    int    `json:"threadId"`
}

// childEvent handles an event of the connection that has the program.
func (b *bridge) childEvent(m *dapclient.Message) {
	switch m.Name {
	case "initialized":
		b.childInitialized()
	case "output":
		b.childOutput(m)
	case "breakpoint":
		body, _ := dapclient.DecodeBody[struct {
			Breakpoint heldBreakpoint `json:"breakpoint"`
		}](m)
		b.book.changed(body.Breakpoint)
		b.session.event(m.Name, m.Body)
	case "stopped":
		b.childStopped(m)
	case "continued", "thread":
		b.mu.Lock()
		own := b.holding && m.Name == "continued"
		b.mu.Unlock()
		if !own {
			b.session.event(m.Name, threadOut(m))
		}
	case "loadedSource":
		if !strings.Contains(string(m.Body), `"<node_internals>`) {
			b.session.event(m.Name, m.Body)
		}
	case "terminated":
		b.terminated.set()
		b.mu.Lock()
		ours := b.program != nil // its exit code is told first
		b.mu.Unlock()
		if !ours {
			b.session.event(m.Name, nil)
		}
	default:
		b.session.event(m.Name, m.Body)
	}
}

// threadOut returns the body of an event with the session's thread.
func threadOut(m *dapclient.Message) any {
	var object map[string]json.RawMessage
	var body stopBody
	if json.Unmarshal(m.Body, &object) != nil || json.Unmarshal(m.Body, &body) != nil || object["threadId"] == nil {
		return m.Body
	}
	return with(object, "threadId", body.ThreadID+1)
}

// childInitialized takes the first event as the request for breakpoints. The second one says that the program is there;
// before anything else the lists are repeated until the ids of breakpoints are unique.
func (b *bridge) childInitialized() {
	select {
	case <-b.childReady.ch:
	default:
		b.childReady.set()
		return
	}
	for _, args := range b.book.again() {
		_, _ = b.conn().Send(dapclient.Request{Command: "setBreakpoints", Args: args})
	}
	b.bound.set()
}

// logHit passes the hit of a native log point on, as childOutput does.
func (b *bridge) logHit(text string) {
	b.session.event("output", map[string]any{"category": "telemetry", "output": text + "\n"})
}

// childOutput passes the output of the program on. What Node writes goes elsewhere, too: js-debug's copy
// is marked, so that only log points in it count.
func (b *bridge) childOutput(m *dapclient.Message) {
	if outputText(m) == "" {
		return
	}
	b.mu.Lock()
	browser := b.browser
	b.mu.Unlock()
	if browser {
		b.session.event(m.Name, m.Body)
		return
	}
	b.session.event(m.Name, map[string]any{"category": "telemetry", "output": outputText(m)})
}

// notYetHandled is what a stop at a rejected promise says: V8 takes it as uncaught when it has no handler then, as in
// f().catch(...) where f throws before its first await.
const notYetHandled = "the rejected promise has no handler yet; one that is attached later still handles it"

// childStopped passes a stop on. The first one of a program that the bridge has started is its first line.
func (b *bridge) childStopped(m *dapclient.Message) {
	b.mu.Lock()
	holding, pausing := b.holding, b.pausing
	b.pausing = false
	b.mu.Unlock()
	if holding {
		select {
		case b.entry <- m:
		default:
		}
		return
	}
	var object map[string]json.RawMessage
	var body stopBody
	if json.Unmarshal(m.Body, &object) != nil || json.Unmarshal(m.Body, &body) != nil {
		b.session.event(m.Name, m.Body)
		return
	}
	if pausing && body.Reason == "step" {
		object["reason"] = json.RawMessage(`"pause"`) // it stepped on to a line of the program
	}
	if strings.Contains(body.Description, "promise rejection") && b.unhandled() {
		object["text"], _ = json.Marshal(notYetHandled)
	}
	b.session.event(m.Name, with(object, "threadId", body.ThreadID+1))
}

// childClosed tells the end of a program that js-debug has lost.
func (b *bridge) childClosed() {
	select {
	case <-b.terminated.ch:
		return
	default:
	}
	b.terminated.set()
	b.mu.Lock()
	ours := b.program != nil || b.leaving
	b.mu.Unlock()
	if !ours {
		b.session.event("terminated", nil)
	}
}
