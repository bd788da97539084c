package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// answerIn is the time limit for any answer.
const answerIn = 60 * time.Second

// client is an MCP client over the pipes of a server that it started. It counts tool calls and the bytes of their
// answers.
type client struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan []byte
	id    int

	calls, bytes int
	sessionID    string // for servers that need it in every call
}

type answer struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

const hello = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"peers","version":"1"}}`

// connect starts a server. It returns after the answer to initialize, with the time that this took.
func connect(command []string) (*client, time.Duration, error) {
	c := &client{cmd: exec.Command(command[0], command[1:]...), lines: make(chan []byte, 1024)}
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, 0, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	c.in = in
	began := time.Now()
	if err := c.cmd.Start(); err != nil {
		return nil, 0, err
	}
	go func() {
		defer close(c.lines)
		r := bufio.NewReaderSize(out, 1<<16)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			c.lines <- line
		}
	}()
	if _, _, err := c.request("initialize", json.RawMessage(hello)); err != nil {
		c.close()
		return nil, 0, fmt.Errorf("initialize: %w", err)
	}
	took := time.Since(began)
	_, err = io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return c, took, err
}

// close closes the server's input, and kills the server after two seconds.
func (c *client) close() {
	c.in.Close()
	timer := time.AfterFunc(2*time.Second, func() { _ = c.cmd.Process.Kill() })
	for range c.lines {
	}
	timer.Stop()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// request returns the result and the length in bytes of its line. It skips other lines.
func (c *client) request(method string, params any) (json.RawMessage, int, error) {
	c.id++
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		return nil, 0, err
	}
	if _, err := c.in.Write(append(body, '\n')); err != nil {
		return nil, 0, err
	}
	late := time.NewTimer(answerIn)
	defer late.Stop()
	for {
		select {
		case line, open := <-c.lines:
			if !open {
				return nil, 0, errors.New("the server has ended")
			}
			var a answer
			if json.Unmarshal(line, &a) != nil || string(a.ID) != fmt.Sprint(c.id) || a.Result == nil && a.Error == nil {
				continue
			}
			if a.Error != nil {
				return nil, 0, errors.New(a.Error.Message)
			}
			return a.Result, len(line), nil
		case <-late.C:
			return nil, 0, fmt.Errorf("no answer to %s within %v", method, answerIn)
		}
	}
}

// args are a tool's arguments.
type args map[string]any

// call calls a tool and returns the text of its result.
func (c *client) call(tool string, a args) (string, error) {
	if a == nil {
		a = args{}
	}
	if c.sessionID != "" {
		a["sessionId"] = c.sessionID
	}
	result, n, err := c.request("tools/call", map[string]any{"name": tool, "arguments": a})
	c.calls++
	c.bytes += n
	if err != nil {
		return "", fmt.Errorf("%s: %w", tool, err)
	}
	text, failed, err := toolText(result)
	if err == nil && failed {
		err = errors.New(text)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", tool, err)
	}
	return text, nil
}

// toolText returns the text of a tool's result, and whether it is an error.
func toolText(result json.RawMessage) (string, bool, error) {
	var r struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return "", false, err
	}
	var texts []string
	for _, part := range r.Content {
		texts = append(texts, part.Text)
	}
	return strings.Join(texts, "\n"), r.IsError, nil
}

// tools returns the number of the server's tools, and the bytes of the lines that list them.
func (c *client) tools() (count, bytes int, err error) {
	params := args{}
	for {
		result, n, err := c.request("tools/list", params)
		if err != nil {
			return 0, 0, err
		}
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(result, &page); err != nil {
			return 0, 0, err
		}
		count, bytes = count+len(page.Tools), bytes+n
		if page.NextCursor == "" {
			return count, bytes, nil
		}
		params["cursor"] = page.NextCursor
	}
}

// residentKB returns the server's resident memory in KiB, 0 where it cannot be read.
func (c *client) residentKB() float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	return residentOf(string(status))
}

func residentOf(status string) float64 {
	for line := range strings.Lines(status) {
		var kb float64
		if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &kb); err == nil {
			return kb
		}
	}
	return 0
}
