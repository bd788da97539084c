package jsdebug

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plain returns a text as a WebSocket frame that is not masked.
func plain(text string) []byte {
	switch {
	case len(text) < 126:
		return append([]byte{0x81, byte(len(text))}, text...)
	case len(text) < 1<<16:
		return append(binary.BigEndian.AppendUint16([]byte{0x81, 126}, uint16(len(text))), text...)
	}
	return append(binary.BigEndian.AppendUint64([]byte{0x81, 127}, uint64(len(text))), text...)
}

// Worker threads of a loader run before the program's first line, without js-debug.
func TestWorkersOfALoader(t *testing.T) {
	const head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
	answer, script := plain(`{"id":3,"result":{}}`), plain(`{"method":"Debugger.scriptParsed","params":"`+
		strings.Repeat("x", 70_000)+`"}`)
	paused := plain(`{"method":"Debugger.paused","params":{"callFrames":[]}}`)
	worker := plain(`{"method":"NodeWorker.attachedToWorker","params":{"sessionId":"7","workerInfo":{"workerId":"1",` +
		`"url":"node:internal/modules/esm/worker"},"waitingForDebugger":true}}`)
	in := slices.Concat([]byte(head), answer, worker, plain(`{"id":2000000000,"result":{}}`),
		plain(`{"method":"NodeWorker.receivedMessageFromWorker","params":{"sessionId":"7"}}`), script, paused,
		plain(`{"method":"Debugger.resumed"}`))
	var debugger, inspector bytes.Buffer
	r := &relay{paused: newLatch()}
	from := bufio.NewReader(bytes.NewReader(in))
	require.NoError(t, r.passStart(&debugger, from, &inspector))
	require.Equal(t, slices.Concat([]byte(head), answer, script, paused), debugger.Bytes())
	<-r.paused.ch
	sent, err := passMessage(&bytes.Buffer{}, bufio.NewReader(bytes.NewReader(inspector.Bytes())))
	require.NoError(t, err, "a whole frame")
	require.False(t, sent)
	require.Contains(t, inspector.String(), `"sessionId":"7"`)
	require.Contains(t, inspector.String(), `Runtime.runIfWaitingForDebugger`)
	rest, _ := from.Peek(2)
	require.Equal(t, byte(0x81), rest[0], "the rest is left")
	require.Error(t, r.passStart(&debugger, bufio.NewReader(bytes.NewReader(in[:len(head)+4])), &inspector))
}
