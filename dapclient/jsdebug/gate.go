package jsdebug

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"time"
)

// The relay holds back what js-debug sends after it has told a waiting program to run, until the program has stopped
// at its first line. V8 dies when it handles an evaluation just before: it stops inside that, while the program's
// first function has no scope yet (nodejs/node#57606).

// runName is the method that lets a waiting program run, as js-debug writes it.
var runName = []byte(`"method":"Runtime.runIfWaitingForDebugger"`)

// runAgain is the time after which a node that does not run is told again. It listens some time before it waits for a
// debugger, and what lets it run means nothing before that.
const runAgain = 250 * time.Millisecond

// runText lets a waiting node run.
func runText() []byte {
	return maskedText(fmt.Appendf(nil, `{"id":%d9,%s,"params":{}}`, ownIDs, runName))
}

// runUntilPaused tells the program to run until it has stopped at its first line, or is gone.
func (r *relay) runUntilPaused(to io.Writer) {
	again := time.NewTicker(r.again)
	defer again.Stop()
	for {
		select {
		case <-r.paused.ch:
			return
		case <-again.C:
			if _, err := to.Write(runText()); err != nil {
				return
			}
		}
	}
}

// passRun copies the beginning of a connection to an inspector: the HTTP request, and all messages up to the one that
// lets the program run.
func passRun(to io.Writer, from *bufio.Reader) error {
	if err := passHeader(to, from); err != nil {
		return err
	}
	for {
		raw, text, err := readMessage(from)
		if err == nil {
			_, err = to.Write(raw)
		}
		if err != nil || bytes.Contains(text, runName) {
			return err
		}
	}
}

// frameHead looks at the head of the next WebSocket frame (RFC 6455, section 5.2): its size, with the mask if there is
// one, and the length of the text behind it.
func frameHead(from *bufio.Reader) (size int, length uint64, masked bool, err error) {
	head, err := from.Peek(2)
	if err != nil {
		return 0, 0, false, err
	}
	length, size, masked = uint64(head[1]&0x7f), 2, head[1]&0x80 != 0
	switch length {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	if head, err = from.Peek(size); err != nil {
		return 0, 0, false, err
	}
	switch length {
	case 126:
		length = uint64(binary.BigEndian.Uint16(head[2:]))
	case 127:
		length = binary.BigEndian.Uint64(head[2:])
	}
	if masked {
		size += 4
	}
	return size, length, masked, nil
}
