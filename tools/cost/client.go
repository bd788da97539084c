package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// client is one server on its standard streams.
type client struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	next int

	instructions, tools string // as the server sends them
}

// answer is the result of a call as a model reads it.
type answer struct {
	text   string
	failed bool
}

func dial(binary, dir string, flags ...string) (*client, error) {
	c := &client{cmd: exec.Command(binary, flags...)}
	c.cmd.Dir, c.cmd.Stderr = dir, io.Discard
	c.cmd.Env = append(os.Environ(), "BREAKWIRE_LOG=")
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.out = in, bufio.NewReaderSize(out, 1<<20)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	var init struct{ Instructions string }
	if err := c.request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "cost", "version": "1"}}, &init); err != nil {
		return nil, err
	}
	c.instructions = init.Instructions
	fmt.Fprintln(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	var list struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description json.RawMessage `json:"description"`
			InputSchema json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if err := c.request("tools/list", map[string]any{}, &list); err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, t := range list.Tools {
		fmt.Fprintf(&b, `{"name":%q,"description":%s,"inputSchema":%s}`, t.Name, t.Description, t.InputSchema)
	}
	c.tools = b.String()
	return c, nil
}

// request sends a request and decodes its result.
func (c *client) request(method string, params, result any) error {
	c.next++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.next, "method": method, "params": params})
	if err != nil {
		return err
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return err
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		var m struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if json.Unmarshal(line, &m) != nil || m.ID != c.next {
			continue
		}
		if m.Error != nil {
			return fmt.Errorf("%s: %s", method, m.Error)
		}
		return json.Unmarshal(m.Result, result)
	}
}

func (c *client) call(tool string, args map[string]any) (answer, error) {
	var r struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := c.request("tools/call", map[string]any{"name": tool, "arguments": args}, &r); err != nil {
		return answer{}, err
	}
	var a answer
	a.failed = r.IsError
	for _, part := range r.Content {
		a.text += part.Text
	}
	return a, nil
}

// close ends the server and the programs that it started.
func (c *client) close() {
	c.in.Close()
	c.cmd.Wait()
}
