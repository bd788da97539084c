package mcptest

import (
	"encoding/json"
	"fmt"
)

// AwaitLine waits for the n-th line of the server, from 0, and returns it as it came.
func (c *Client) AwaitLine(n int) json.RawMessage {
	c.tb.Helper()
	c.until(fmt.Sprintf("line %d", n), func() bool { return len(c.lines) > n })
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines[n].Raw
}
