package mcptest

import (
	"encoding/json"
	"fmt"
)

// AwaitLine waits for the server's n-th line, from 0, and returns it unchanged.
func (c *Client) AwaitLine(n int) json.RawMessage {
	c.tb.Helper()
	c.until(fmt.Sprintf("line %d", n), func() bool { return len(c.lines) > n })
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines[n].Raw
}
