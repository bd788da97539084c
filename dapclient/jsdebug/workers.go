package jsdebug

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// A program that runs by a loader (tsx, the hooks of --import) has worker threads before its first line, which wait for
// a debugger. js-debug could not let them run, because the relay holds back what it sends; and nobody wants to debug
// them. So the relay lets them run, and js-debug does not hear of them. js-debug writes nothing then (passRun).

var (
	workerName  = []byte(`"method":"NodeWorker.attachedToWorker"`)
	workerWords = []byte(`"method":"NodeWorker.`)
)

// ownID is the id of the relay's requests, and the beginning of the answers' text.
const ownID = 2_000_000_000

var ownAnswer = fmt.Appendf(nil, `{"id":%d`, ownID)

// passStart copies what the inspector says until the program has stopped at its first line.
func (r *relay) passStart(to io.Writer, from *bufio.Reader, inspector io.Writer) error {
	if err := passHeader(to, from); err != nil {
		return err
	}
	for {
		raw, text, err := readMessage(from)
		if err != nil {
			return err
		}
		switch {
		case bytes.Contains(text, workerName):
			var worker struct {
				Params struct {
					SessionID string `json:"sessionId"`
				} `json:"params"`
			}
			if json.Unmarshal(text, &worker) == nil {
				_, err = inspector.Write(runWorker(worker.Params.SessionID))
			}
		case bytes.Contains(text, workerWords), bytes.HasPrefix(text, ownAnswer):
		default:
			_, err = to.Write(raw)
		}
		if err != nil {
			return err
		}
		if bytes.Contains(text, pausedName) {
			r.paused.set()
			return nil
		}
	}
}

// runWorker returns the message that lets a worker run which waits for a debugger.
func runWorker(session string) []byte {
	text, _ := json.Marshal(map[string]any{"id": ownID, "method": "NodeWorker.sendMessageToWorker",
		"params": map[string]string{"sessionId": session,
			"message": `{"id":1,"method":"Runtime.runIfWaitingForDebugger"}`}})
	frame := []byte{0x81, 0x80 | 126, 0, 0, 0, 0, 0, 0} // a text, masked by zeros
	binary.BigEndian.PutUint16(frame[2:], uint16(len(text)))
	return append(frame, text...)
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

// readMessage reads one WebSocket frame that is not masked. It returns the frame, and the text in it.
func readMessage(from *bufio.Reader) (raw, text []byte, err error) {
	head, err := from.Peek(2)
	if err != nil {
		return nil, nil, err
	}
	length, size := uint64(head[1]&0x7f), 2
	switch length {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	if head, err = from.Peek(size); err != nil {
		return nil, nil, err
	}
	switch length {
	case 126:
		length = uint64(binary.BigEndian.Uint16(head[2:]))
	case 127:
		length = binary.BigEndian.Uint64(head[2:])
	}
	const most = 256 << 20
	if length > most {
		return nil, nil, fmt.Errorf("a message of %d bytes", length)
	}
	raw = make([]byte, size+int(length))
	if _, err = io.ReadFull(from, raw); err != nil {
		return nil, nil, err
	}
	return raw, raw[size:], nil
}
