package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/dapclient/transcript"
	"breakwire/mapping"
)

// TestGolden compares all answers and notifications of the server, over recordings of real debuggers, with files.
// Time is that of testing/synctest, so the server's waits take no time.
//
// go test ./adapter/mcpserver -run TestGolden -update rewrites the files.
func TestGolden(t *testing.T) {
	for _, file := range goldens(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			g := readGolden(t, file)
			got := g.play(t, nil)
			if *update {
				g.save(t, got)
				return
			}
			for i, s := range g.steps {
				require.Equal(t, s.want, got[i], "step %d, %s %s", i+1, s.method, s.args)
			}
		})
	}
}

// wrapper is put between a recording and the session.
type wrapper func(io.ReadWriteCloser) io.ReadWriteCloser

// play runs the session and returns what the server wrote after each request.
func (g *golden) play(t *testing.T, wrap wrapper) (got []string) {
	t.Helper()
	rec := g.open(t)
	synctest.Test(t, func(t *testing.T) {
		c := dialGolden(t, g, rec, wrap)
		defer c.close()
		for _, s := range g.steps {
			method, params := s.method, g.arguments(s.args)
			require.True(t, json.Valid(params), "%s: arguments of %s", g.file, s.method)
			if !strings.Contains(method, "/") {
				method, params = "tools/call", g.call(s.method, params)
			}
			got = append(got, g.render(t, c.request(method, params)))
		}
	})
	return got
}

func (g *golden) call(tool string, args json.RawMessage) json.RawMessage {
	raw, _ := json.Marshal(map[string]any{"name": tool, "arguments": args})
	return raw
}

// goldenClient is an MCP client in a synctest bubble. After each request it waits until the server is idle.
type goldenClient struct {
	t       *testing.T
	in      *io.PipeWriter
	served  chan error
	manager *adapter.Manager
	nextID  int

	mu       sync.Mutex
	lines    []json.RawMessage
	answered bool // the current request
}

func dialGolden(t *testing.T, g *golden, rec *transcript.Recording, wrap wrapper) *goldenClient {
	t.Helper()
	var maps []string
	for _, m := range g.maps() {
		maps = append(maps, m.from+"="+m.to)
	}
	pathMap, err := mapping.ParsePathMap(maps...)
	require.NoError(t, err)
	manager := adapter.NewManager(adapter.Options{
		Backends: adapter.OnlyReplay(adapter.Replay(rec, transcript.PlayOptions{}, wrap)), PathMap: pathMap,
		ProjectRoot: "/project",
	})
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	c := &goldenClient{t: t, in: in, served: make(chan error, 1), manager: manager}
	server := mcpserver.New(manager, mcpserver.Options{Version: "test", Backend: adapter.ReplayName})
	go func() {
		c.served <- server.ServeStdio(context.Background(), serverIn, serverOut)
		serverOut.Close()
		serverIn.Close()
	}()
	go c.read(out)
	c.request("initialize",
		json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"golden","version":"1"}}`))
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	require.NoError(t, err)
	return c
}

func (c *goldenClient) read(out *io.PipeReader) {
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		c.mu.Lock()
		c.lines = append(c.lines, line)
		var l struct {
			ID     *int
			Method string
		}
		if json.Unmarshal(line, &l) == nil && l.ID != nil && l.Method == "" {
			c.answered = true
		}
		c.mu.Unlock()
	}
}

// quiet is how long no line may come before the server counts as idle. It is longer than all of the server's own
// pauses.
const quiet = 5 * time.Second

// request sends a request and returns all lines until the server is idle again.
func (c *goldenClient) request(method string, params json.RawMessage) []json.RawMessage {
	c.t.Helper()
	c.nextID++
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.nextID, "method": method, "params": params})
	require.NoError(c.t, err)
	c.mu.Lock()
	c.lines, c.answered = nil, false
	c.mu.Unlock()
	_, err = c.in.Write(append(raw, '\n'))
	require.NoError(c.t, err)
	for waited := time.Duration(0); ; waited += quiet {
		time.Sleep(quiet)
		synctest.Wait()
		c.mu.Lock()
		lines, done := c.lines, c.answered
		c.mu.Unlock()
		if done {
			return lines
		}
		require.Less(c.t, waited, 20*time.Minute, "no answer to %s; came: %s", raw, lines)
	}
}

func (c *goldenClient) close() {
	c.in.Close()
	require.NoError(c.t, <-c.served)
	c.manager.Close()
}
