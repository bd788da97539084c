package mcptest

import (
	"encoding/json"
	"fmt"
	"testing"
)

const updatedMethod = "notifications/resources/updated"

// NewResult makes a Result from JSON that is not a tool's: a resource, or the data of an error.
func NewResult(tb testing.TB, raw json.RawMessage) Result { return Result{tb: tb, Raw: raw} }

// Updates returns how many updates of a resource have come.
func (c *Client) Updates(uri string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.updates(uri)
}

// AwaitUpdates waits until at least n updates of a resource have come.
func (c *Client) AwaitUpdates(uri string, n int) {
	c.tb.Helper()
	c.until(fmt.Sprintf("update %d of %s", n, uri), func() bool { return c.updates(uri) >= n })
}

// AwaitLines waits until found reports true for all lines received.
func (c *Client) AwaitLines(what string, found func([]Line) bool) {
	c.tb.Helper()
	c.until(what, func() bool { return found(c.lines) })
}

func (c *Client) updates(uri string) (n int) {
	for i := range c.lines {
		if c.lines[i].Method != updatedMethod {
			continue
		}
		var params struct{ URI string }
		if json.Unmarshal(c.lines[i].Params, &params) == nil && params.URI == uri {
			n++
		}
	}
	return n
}
