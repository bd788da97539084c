package jsdebug

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// A command that is no node (npm, a shell script) starts several nodes, and each waits for a debugger: npm itself, a
// build before the program, the program. The program is the first one that is neither a launcher nor of a script that
// only prepares. The others run without a debugger.

// launcher matches the files of commands that only start others, or that only build.
var launcher = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`/(?:(?:npm|npx|yarn|pnpm|pnpx|corepack)(?:-cli|pkg)?(?:-\d[\d.]*)?\.[cm]?js` +
		`|node_modules/(?:npm|yarn|pnpm|corepack|cross-env|dotenv-cli|concurrently|npm-run-all2?|nodemon|typescript|eslint` +
		`|prettier|rimraf|shx|copyfiles)/.*|(?:tsx|vitest)/(?:dist/cli|vitest)\.mjs)$`)
})

// isProgram reports whether the node that waits at an inspector is the program, by its file and the script that
// started it.
func (l launch) isProgram(file, script string) bool {
	return !launcher().MatchString(strings.ReplaceAll(file, `\`, "/")) && !slices.Contains(l.SkipScripts, script)
}

// letGo makes the node that waits at an inspector run, unless it is the program.
func letGo(ctx context.Context, at string, isProgram func(file, script string) bool) (program bool, err error) {
	address, path, _ := strings.Cut(at, "/")
	file := ""
	if targets, err := targetsAt(ctx, address); err == nil {
		file = targets[0].URL
	}
	c, err := dialInspector(ctx, address, "/"+path)
	if err != nil {
		return false, err
	}
	defer c.conn.Close()
	script, err := c.evaluate("process.env.npm_lifecycle_event||''")
	if err != nil || isProgram(file, script) {
		return true, err
	}
	if _, err := c.call("Runtime.runIfWaitingForDebugger", struct{}{}); err == nil {
		go runUntilGone(ctx, address, "/"+path)
	}
	return false, nil
}

// runUntilGone tells a node to run again (see runAgain), for some seconds. It does not stay connected, because a node
// does not end then.
func runUntilGone(ctx context.Context, address, path string) {
	for pause := runAgain; pause < 10*time.Second; pause *= 2 {
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		c, err := dialInspector(ctx, address, path)
		if err != nil {
			return
		}
		_, err = c.call("Runtime.runIfWaitingForDebugger", struct{}{})
		c.conn.Close()
		if err != nil {
			return
		}
	}
}

// inspector is a connection to an inspector, for a few questions.
type inspector struct {
	conn net.Conn
	from *bufio.Reader
	id   int
}

func dialInspector(ctx context.Context, address, path string) (*inspector, error) {
	conn, err := (&net.Dialer{Timeout: 2 * time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	c := &inspector{conn: conn, from: bufio.NewReader(conn)}
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Key: YnJlYWt3aXJlYnJlYWt3aQ==\r\nSec-WebSocket-Version: 13\r\n\r\n", path, address)
	if err == nil {
		var answer *http.Response
		if answer, err = http.ReadResponse(c.from, nil); err == nil && answer.StatusCode != http.StatusSwitchingProtocols {
			err = fmt.Errorf("the inspector at %s answers %s", address, answer.Status)
		}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// call asks one question and returns the result.
func (c *inspector) call(method string, params any) (json.RawMessage, error) {
	c.id++
	text, err := json.Marshal(map[string]any{"id": c.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if _, err := c.conn.Write(maskedText(text)); err != nil {
		return nil, err
	}
	for {
		_, text, err := readMessage(c.from)
		if err != nil {
			return nil, err
		}
		var answer struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		if json.Unmarshal(text, &answer) == nil && answer.ID == c.id {
			return answer.Result, nil
		}
	}
}

// evaluate returns the value of an expression that is a text.
func (c *inspector) evaluate(expression string) (string, error) {
	result, err := c.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})
	var body struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
	}
	if err == nil {
		err = json.Unmarshal(result, &body)
	}
	text, _ := body.Result.Value.(string)
	return text, err
}

// maskedText returns a text as a WebSocket frame, masked by zeros.
func maskedText(text []byte) []byte {
	const final, mask = 0x81, 0x80
	frame := []byte{final}
	switch n := len(text); {
	case n < 126:
		frame = append(frame, mask|byte(n))
	case n < 1<<16:
		frame = binary.BigEndian.AppendUint16(append(frame, mask|126), uint16(n))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, mask|127), uint64(n))
	}
	return append(append(frame, 0, 0, 0, 0), text...)
}
