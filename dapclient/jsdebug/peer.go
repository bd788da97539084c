package jsdebug

import (
	"encoding/json"
	"io"
	"sync"

	"breakwire/dapclient"
)

// peer is the adapter's side of the connection to the session. Its stream is buffered without limit, so writes do not
// wait.
type peer struct {
	stream io.ReadWriteCloser

	mu    sync.Mutex
	seq   int
	asked map[int]func(*dapclient.Message) // open reverse requests
}

// frame is what all messages of an adapter have.
type frame struct {
	Seq        int            `json:"seq"`
	Type       dapclient.Kind `json:"type"`
	Event      string         `json:"event,omitempty"`
	Command    string         `json:"command,omitempty"`
	RequestSeq int            `json:"request_seq,omitempty"`
	Success    *bool          `json:"success,omitempty"`
	Message    string         `json:"message,omitempty"`
	Arguments  any            `json:"arguments,omitempty"`
	Body       any            `json:"body,omitempty"`
}

func (p *peer) send(f frame, then func(*dapclient.Message)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seq++
	f.Seq = p.seq
	body, err := json.Marshal(f)
	if err != nil { // a body that js-debug sent is JSON
		return
	}
	if then != nil {
		if p.asked == nil {
			p.asked = map[int]func(*dapclient.Message){}
		}
		p.asked[f.Seq] = then
	}
	_, _ = p.stream.Write(dapclient.AppendFrame(nil, body)) // fails only when the session has gone
}

func (p *peer) event(name string, body any) {
	p.send(frame{Type: dapclient.KindEvent, Event: name, Body: body}, nil)
}

// respond answers a request of the session with this body, or with the reason of a failure.
func (p *peer) respond(to *dapclient.Message, body any, err error) {
	success := err == nil
	f := frame{Type: dapclient.KindResponse, Command: to.Name, RequestSeq: to.Seq, Success: &success, Body: body}
	if err != nil {
		f.Message, f.Body = err.Error(), map[string]any{"error": map[string]any{"id": 1, "format": "{reason}",
			"variables": map[string]string{"reason": err.Error()}}}
	}
	p.send(f, nil)
}

// pass answers a request of the session with js-debug's response.
func (p *peer) pass(to, answer *dapclient.Message, body any) {
	if body == nil && answer.Body != nil {
		body = answer.Body
	}
	p.send(frame{Type: dapclient.KindResponse, Command: to.Name, RequestSeq: to.Seq, Success: &answer.Success,
		Message: answer.Text, Body: body}, nil)
}

// answered gives the session's response to a reverse request to who waits for it.
func (p *peer) answered(m *dapclient.Message) {
	p.mu.Lock()
	then := p.asked[m.RequestSeq]
	delete(p.asked, m.RequestSeq)
	p.mu.Unlock()
	if then != nil {
		then(m)
	}
}
