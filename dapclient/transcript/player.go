package transcript

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"sync"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/mempipe"
	"breakwire/dapclient/internal/rawjson"
)

// PlayOptions are the options of a replay.
type PlayOptions struct {
	// Strict requires the recorded requests in their order and with their arguments. Player.Err returns the first
	// difference.
	Strict bool
}

// Player replays a recording as an adapter. It is the client's end of the connection.
//
// The recording is split into segments at initialize, launch or attach, configurationDone, each resume that
// succeeded, and disconnect. Inside a segment questions may come in any order and any number of times. A resume must
// be the next recorded one. What the adapter sent by itself while the program ran is sent when the segment begins.
// What followed an answer is sent with that answer, or at the end of the segment if the question never comes.
type Player struct {
	mempipe.End // the client's
	server      mempipe.End
	rec         *Recording
	opts        PlayOptions
	done        chan struct{}

	mu  sync.Mutex
	err error

	// Owned by the goroutine.
	seg      *segment
	next     int // index in rec.cuts of the cut that ends seg
	position int // no entry after it was played yet
	changes  int // assignments answered in seg
	seq      int
	answered map[int]*dapclient.Message // cuts requested and not answered yet: entry to the client's request
	early    map[int]bool               // starts answered early, by request; failed ones played, by answer
	set      map[string]map[string]bool // file to the keys of its breakpoints
	unknown  map[string]int             // ids of breakpoints that are not in the recording
	strictAt int                        // the next entry, in strict mode
	mates    map[int]int                // entry of a request to the client's seq, in strict mode
	out      []byte
}

// Play starts a replay. Close it, or let the client close it, to end its goroutine.
func (r *Recording) Play(opts PlayOptions) *Player {
	client, server := mempipe.New()
	p := &Player{
		End: client, server: server, rec: r, opts: opts, done: make(chan struct{}),
		answered: make(map[int]*dapclient.Message), early: make(map[int]bool), mates: make(map[int]int),
		set: make(map[string]map[string]bool), unknown: make(map[string]int),
	}
	go p.run()
	return p
}

// Close ends the replay and waits for its goroutine.
func (p *Player) Close() error {
	err := p.End.Close()
	<-p.done
	return err
}

// Done returns a channel that is closed when the replay has ended.
func (p *Player) Done() <-chan struct{} { return p.done }

// Err returns in strict mode the first difference between the recording and the client; otherwise only an error of
// reading the recording.
func (p *Player) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (p *Player) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
}

// run is the goroutine.
func (p *Player) run() {
	defer close(p.done)
	defer p.server.Close()
	if err := p.begin(); err != nil {
		p.fail(err)
		return
	}
	r := bufio.NewReaderSize(p.server, 64<<10)
	for {
		raw, err := dapclient.ReadFrame(r, 0)
		if err != nil {
			return
		}
		m, err := dapclient.Decode(raw)
		if err != nil || m.Kind != dapclient.KindRequest {
			continue
		}
		over, err := p.serve(m)
		p.flush()
		if err != nil {
			p.fail(err)
			return
		}
		if over {
			return
		}
	}
}

func (p *Player) begin() error {
	defer p.flush()
	if p.opts.Strict {
		return p.strictMessages()
	}
	return p.enter(-1)
}

func (p *Player) flush() {
	if len(p.out) > 0 {
		_, _ = p.server.Write(p.out) // if the client has gone, the next read returns the error
		if p.out = p.out[:0]; cap(p.out) > 1<<20 {
			p.out = nil
		}
	}
}

// serve handles one request. over is true when the connection ends.
func (p *Player) serve(m *dapclient.Message) (over bool, err error) {
	if p.opts.Strict {
		return p.serveStrict(m)
	}
	switch role(m.Name) {
	case roleStart:
		return false, p.start(m)
	case roleResume:
		return false, p.resume(m)
	case roleEnd:
		return true, p.end(m)
	case roleSet:
		p.setBreakpoints(m)
		return false, nil
	}
	p.ask(m)
	return false, nil
}

// enter ends the segment, sends what was not sent yet, and begins the segment at the cut.
func (p *Player) enter(cut int) error {
	if p.seg != nil {
		for i := range p.seg.items {
			p.tell(&p.seg.items[i])
		}
	}
	seg, err := p.rec.load(cut)
	if err != nil {
		return err
	}
	p.seg, p.next, p.changes = seg, cut+1, 0
	for i := range seg.items {
		if seg.items[i].after < 0 {
			p.tell(&seg.items[i])
		}
	}
	// Without a recorded answer the client would wait for ever.
	if cut >= 0 && p.rec.entries[seg.from].mate < 0 {
		if asked, ok := p.answered[seg.from]; ok {
			delete(p.answered, seg.from)
			p.respond(asked, nil, false, "the recording ends without an answer to this", nil)
		}
	}
	p.position = max(p.position, seg.to-1)
	// The client has sent these starts early and they are answered: continue past them.
	if p.next < len(p.rec.cuts) && p.early[p.rec.cuts[p.next]] {
		return p.enter(p.next)
	}
	return nil
}

// tell sends an item once.
func (p *Player) tell(it *item) {
	if it.done {
		return
	}
	it.done = true
	p.position = max(p.position, it.entry)
	if it.cut >= 0 {
		if asked, ok := p.answered[it.cut]; ok {
			delete(p.answered, it.cut)
			p.respond(asked, it.msg, it.msg.Success, it.msg.Text, it.msg.Body)
		}
		return
	}
	p.event(it.msg)
}

// event sends a recorded event with translated breakpoint ids.
func (p *Player) event(m *dapclient.Message) {
	raw := m.Raw
	switch m.Name {
	case "stopped":
		raw = rawjson.Replace(raw, "body", p.rec.lines.translateHits(m.Body))
	case "breakpoint":
		bp := rawjson.Field(m.Body, "breakpoint")
		id, ok := rawjson.Int(bp, "id")
		if key, known := p.rec.lines.keyOf[id]; ok && known {
			if !p.isSet(key) {
				return // the client has not set this breakpoint
			}
			bp = rawjson.Replace(bp, "id", strconv.AppendInt(nil, int64(p.rec.lines.translate(id)), 10))
			raw = rawjson.Replace(raw, "body", rawjson.Replace(m.Body, "breakpoint", bp))
		}
	}
	p.emit(raw)
}

func (p *Player) isSet(key string) bool {
	for _, keys := range p.set {
		if keys[key] {
			return true
		}
	}
	return false
}

// emit queues a recorded message with a seq of this replay, in the recorded form.
func (p *Player) emit(raw []byte) {
	if old := rawjson.Field(raw, "seq"); len(old) > 0 && string(old) != "0" {
		p.seq++
		now := strconv.AppendInt(nil, int64(p.seq), 10)
		if old[0] == '"' {
			now = append(append([]byte{'"'}, now...), '"')
		}
		raw = rawjson.Replace(raw, "seq", now)
	}
	p.out = dapclient.AppendFrame(p.out, raw)
}

// respond answers m. like is the recorded response, whose form is used; nil makes a plain response.
func (p *Player) respond(m, like *dapclient.Message, success bool, text string, body []byte) {
	if like != nil {
		raw := rawjson.Replace(like.Raw, "request_seq", strconv.AppendInt(nil, int64(m.Seq), 10))
		if like.Name != m.Name { // launch in place of attach
			raw = rawjson.Replace(raw, "command", rawjson.AppendString(nil, m.Name))
		}
		if body != nil {
			raw = rawjson.Replace(raw, "body", body)
		}
		p.emit(raw)
		return
	}
	b := []byte(`{"seq":1,"type":"response","request_seq":`)
	b = strconv.AppendInt(b, int64(m.Seq), 10)
	b = append(b, `,"success":`...)
	b = strconv.AppendBool(b, success)
	b = append(b, `,"command":`...)
	b = rawjson.AppendString(b, m.Name)
	if !success {
		b = append(b, `,"message":`...)
		b = rawjson.AppendString(b, text)
	}
	if body != nil {
		b = append(b, `,"body":`...)
		b = append(b, body...)
	}
	p.emit(append(b, '}'))
}

// NotRecorded is part of every refusal's message, after the name of the request and before what the recording has
// next.
const NotRecorded = " is not in the recording"

func (p *Player) refuse(m *dapclient.Message) {
	p.respond(m, nil, false, describe(m)+NotRecorded+", "+p.nextText(), nil)
}

// nextText returns what the recording has next.
func (p *Player) nextText() string {
	if p.next >= len(p.rec.cuts) {
		return "which ends here"
	}
	m, err := p.rec.message(p.rec.cuts[p.next])
	if err != nil {
		return "which ends here"
	}
	return "next is " + describe(m)
}

// describe returns a request as text for a user.
func describe(m *dapclient.Message) string {
	var parts []string
	for _, key := range []string{"expression", "threadId", "variablesReference", "frameId", "name"} {
		if raw := rawjson.Field(m.Arguments, key); raw != nil {
			if key == "expression" || key == "name" {
				parts = append(parts, string(raw))
			} else {
				parts = append(parts, strings.TrimSuffix(key, "Id")+" "+string(raw))
			}
		}
	}
	if len(parts) == 0 {
		return m.Name
	}
	return m.Name + " (" + strings.Join(parts, ", ") + ")"
}

var _ io.ReadWriteCloser = (*Player)(nil)
