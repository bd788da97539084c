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
	in := slices.Concat([]byte(head), answer, worker, plain(`{"id":200000000,"result":{}}`),
		plain(`{"method":"NodeWorker.receivedMessageFromWorker","params":{"sessionId":"7"}}`), script, paused,
		plain(`{"method":"Debugger.resumed"}`))
	var debugger, inspector bytes.Buffer
	r := &relay{paused: newLatch()}
	from := bufio.NewReader(bytes.NewReader(in))
	require.NoError(t, r.passStart(&debugger, from, &inspector))
	require.Equal(t, slices.Concat([]byte(head), answer, script, paused), debugger.Bytes())
	<-r.paused.ch
	_, sent, err := readMessage(bufio.NewReader(bytes.NewReader(inspector.Bytes())))
	require.NoError(t, err, "a whole frame")
	require.Contains(t, string(sent), `"sessionId":"7"`)
	require.Contains(t, string(sent), `Runtime.runIfWaitingForDebugger`)
	rest, _ := from.Peek(2)
	require.Equal(t, byte(0x81), rest[0], "the rest is left")
	require.Error(t, r.passStart(&debugger, bufio.NewReader(bytes.NewReader(in[:len(head)+4])), &inspector))
}

// A program that stops inside node goes on to its own first line.
func TestFirstLineBehindALoader(t *testing.T) {
	const paused = `{"method":"Debugger.paused","params":{"callFrames":[{"location":{"scriptId":"%s"}}]}}`
	at := func(script string) string { return strings.ReplaceAll(paused, "%s", script) }
	var inspector bytes.Buffer
	s := &starter{inspector: &inspector, internal: map[string]bool{}}
	for _, step := range []struct {
		text         string
		pass, paused bool
		asks         string
	}{
		{`{"method":"Debugger.scriptParsed","params":{"scriptId":"6","url":"node:internal/x"}}`, true, false, ""},
		{`{"method":"Debugger.scriptParsed","params":{"scriptId":"9","url":"file:///a.ts"}}`, true, false, ""},
		{at("6"), false, false, `"urlRegex":"^file://(?!.*/node_modules/)"`},
		{`{"id":200000000,"result":{"breakpointId":"4:0:0:a"}}`, false, false, ""},
		{`{"method":"Debugger.resumed","params":{}}`, false, false, ""},
		{`{"id":7,"result":{}}`, true, false, ""},
		{at("9"), true, true, `{"breakpointId":"4:0:0:a"}`},
	} {
		inspector.Reset()
		pass, paused, err := s.take([]byte(step.text))
		require.NoError(t, err)
		require.Equal(t, []bool{step.pass, step.paused}, []bool{pass, paused}, step.text)
		require.Contains(t, inspector.String(), step.asks)
	}
}

func TestLaunchers(t *testing.T) {
	l := launch{SkipScripts: []string{"build", "predev"}}
	for file, program := range map[string]bool{
		"file:///usr/lib/node_modules/npm/bin/npm-cli.js": false, "file:///usr/share/yarn/bin/yarn.js": false,
		"file:///x/.yarn/releases/yarn-4.1.0.cjs": false, "file:///x/pnpm/bin/pnpm.cjs": false,
		"file:///x/node_modules/cross-env/src/bin/cross-env.js": false,
		"file:///x/node_modules/typescript/bin/tsc":             false,
		"file:///x/node_modules/tsx/dist/cli.mjs":               false, "file:///x/node_modules/vitest/vitest.mjs": false,
		`file:///C:\x\node_modules\nodemon\bin\nodemon.js`: false,
		"file:///x/node_modules/vite/bin/vite.js":          true, "file:///x/node_modules/next/dist/bin/next": true,
		"file:///x/src/npm.ts": true, "file:///x/server.js": true, "": true,
	} {
		require.Equal(t, program, l.isProgram(file, "dev"), file)
	}
	require.False(t, l.isProgram("file:///x/server.js", "predev"))
}
