package jsdebug

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// A program that runs by a loader (tsx, the hooks of --import) has worker threads before its first line, which wait for
// a debugger. js-debug could not let them run, because the relay holds back what it sends; and nobody wants to debug
// them. So the relay lets them run, and js-debug does not hear of them. js-debug writes nothing then (passRun).
//
// Such a program may also stop inside node instead of at its first line, where js-debug would lose it. Then the relay
// goes on to the first script that is the program's.

// ownIDs is how the ids of the relay's own requests begin.
const (
	ownIDs    = 20_000_000
	ownAnswer = `{"id":20000000` // the beginning of an answer to it
)

// starter reads what the inspector says until the program has stopped at its first line.
type starter struct {
	inspector  io.Writer
	asked      int
	internal   map[string]bool // scripts of node
	seeking    bool            // the program goes on to its first line
	breakpoint string          // the one there
}

// inspectorEvent is what a starter reads of an event.
type inspectorEvent struct {
	Method string `json:"method"`
	Params struct {
		SessionID  string `json:"sessionId"`
		ScriptID   string `json:"scriptId"`
		URL        string `json:"url"`
		CallFrames []struct {
			Location struct {
				ScriptID string `json:"scriptId"`
			} `json:"location"`
		} `json:"callFrames"`
	} `json:"params"`
	Result struct {
		BreakpointID string `json:"breakpointId"`
	} `json:"result"`
}

// passStart copies what the inspector says until the program has stopped at its first line.
func (r *relay) passStart(to io.Writer, from *bufio.Reader, inspector io.Writer) error {
	if err := passHeader(to, from); err != nil {
		return err
	}
	s := &starter{inspector: inspector, internal: map[string]bool{}}
	for {
		raw, text, err := readMessage(from)
		if err != nil {
			return err
		}
		pass, paused, err := s.take(text)
		if pass && err == nil {
			_, err = to.Write(raw)
		}
		if err != nil {
			return err
		}
		if paused {
			r.paused.set()
			return nil
		}
	}
}

// take reports whether js-debug gets a message, and whether it is the stop at the first line.
func (s *starter) take(text []byte) (pass, paused bool, err error) {
	var e inspectorEvent
	_ = json.Unmarshal(text, &e) // what is none is passed
	switch {
	case bytes.HasPrefix(text, []byte(ownAnswer)):
		s.breakpoint = cmp.Or(e.Result.BreakpointID, s.breakpoint)
		return false, false, nil
	case e.Method == "NodeWorker.attachedToWorker":
		return false, false, s.ask("NodeWorker.sendMessageToWorker", map[string]string{"sessionId": e.Params.SessionID,
			"message": `{"id":1,"method":"Runtime.runIfWaitingForDebugger"}`})
	case strings.HasPrefix(e.Method, "NodeWorker."), s.seeking && e.Method == "Debugger.resumed":
		return false, false, nil
	case e.Method == "Debugger.scriptParsed" && strings.HasPrefix(e.Params.URL, "node:"):
		s.internal[e.Params.ScriptID] = true
	case e.Method == "Debugger.paused":
		return s.paused(e)
	}
	return true, false, nil
}

// programScript matches the scripts that are the program's, not of a package that it uses.
const programScript = `^file://(?!.*/node_modules/)`

// paused handles a stop. From one inside node it goes on to the first line of the program.
func (s *starter) paused(e inspectorEvent) (pass, first bool, err error) {
	switch {
	case s.seeking:
		return true, true, s.ask("Debugger.removeBreakpoint", map[string]string{"breakpointId": s.breakpoint})
	case len(e.Params.CallFrames) > 0 && s.internal[e.Params.CallFrames[0].Location.ScriptID]:
		s.seeking = true
		if err := s.ask("Debugger.setBreakpointByUrl",
			map[string]any{"urlRegex": programScript, "lineNumber": 0}); err != nil {
			return false, false, err
		}
		return false, false, s.ask("Debugger.resume", struct{}{})
	}
	return true, true, nil
}

func (s *starter) ask(method string, params any) error {
	text, err := json.Marshal(map[string]any{"id": ownIDs*10 + s.asked%10, "method": method, "params": params})
	s.asked++
	if err == nil {
		_, err = s.inspector.Write(maskedText(text))
	}
	return err
}

// passHeader copies the beginning of a connection, which is HTTP.
func passHeader(to io.Writer, from *bufio.Reader) error {
	for {
		line, err := from.ReadSlice('\n')
		if len(line) > 0 {
			if _, bad := to.Write(line); bad != nil {
				return bad
			}
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
	}
}

// readMessage reads one WebSocket frame. It returns the frame, and the text in it without its mask.
func readMessage(from *bufio.Reader) (raw, text []byte, err error) {
	size, length, masked, err := frameHead(from)
	if err != nil {
		return nil, nil, err
	}
	const most = 256 << 20
	if length > most {
		return nil, nil, fmt.Errorf("a message of %d bytes", length)
	}
	raw = make([]byte, size+int(length))
	if _, err = io.ReadFull(from, raw); err != nil || !masked {
		return raw, raw[size:], err
	}
	text = bytes.Clone(raw[size:])
	for i := range text {
		text[i] ^= raw[size-4+i%4]
	}
	return raw, text, nil
}
