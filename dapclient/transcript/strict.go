package transcript

import (
	"fmt"
	"strconv"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// Strict replay follows the recording from the beginning to the end. Each request must be the next one sent. What was
// received between two requests is sent after the first of them.

func (p *Player) serveStrict(m *dapclient.Message) (over bool, err error) {
	if p.Err() == nil {
		if diff := p.compare(m); diff == nil {
			p.mates[p.strictAt] = m.Seq
			p.strictAt++
			if err := p.strictMessages(); err != nil {
				return true, err
			}
			return p.strictAt == len(p.rec.entries) && m.Name == "disconnect", nil
		} else {
			p.fail(diff)
		}
	}
	p.respond(m, nil, false, p.Err().Error(), nil)
	return m.Name == "disconnect", nil
}

// compare returns the difference between m and the next recorded request.
func (p *Player) compare(m *dapclient.Message) error {
	got := m.Name + " " + canonical(m.Arguments)
	if p.strictAt == len(p.rec.entries) {
		return strictError(p.lastLine(), "nothing more", got)
	}
	recorded, err := p.rec.message(p.strictAt)
	if err != nil {
		return err
	}
	if want := recorded.Name + " " + canonical(recorded.Arguments); want != got {
		return strictError(int(p.rec.entries[p.strictAt].lineNo), want, got)
	}
	return nil
}

func (p *Player) lastLine() int { return int(p.rec.entries[len(p.rec.entries)-1].lineNo) }

// strictMessages sends what was received before the next request.
func (p *Player) strictMessages() error {
	for ; p.strictAt < len(p.rec.entries); p.strictAt++ {
		e := &p.rec.entries[p.strictAt]
		if e.sent {
			if e.kind == kindRequest {
				return nil
			}
			continue // answers to reverse requests, and bodies that are not JSON
		}
		if e.kind == kindRequest {
			continue
		}
		m, err := p.rec.message(p.strictAt)
		if err != nil {
			return err
		}
		raw := m.Raw
		if e.kind == kindResponse && e.mate >= 0 {
			raw = rawjson.Replace(raw, "request_seq", strconv.AppendInt(nil, int64(p.mates[int(e.mate)]), 10))
			delete(p.mates, int(e.mate))
		}
		p.out = dapclient.AppendFrame(p.out, raw)
	}
	return nil
}

// strictError is a difference from the recording.
func strictError(line int, want, got string) error {
	return fmt.Errorf("line %d of the recording: want %s, got %s", line, want, got)
}
