package mcpserver

import (
	"runtime/debug"
	"sync"
)

// shortPercent is the garbage collector's percentage while a budget is used up.
const shortPercent = 25

// memory is the garbage collector of the process. It usually lets garbage grow to as much as what is in use. While
// calls wait for a client to read, that is much, and time does not matter: it runs more often then.
var memory collector

type collector struct {
	mu      sync.Mutex
	budgets int // budgets that are used up
	usual   int // the percentage at other times
}

// short says that a budget is used up, or no longer.
func (c *collector) short(is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if is {
		if c.budgets++; c.budgets == 1 {
			c.usual = debug.SetGCPercent(shortPercent)
			if c.usual < shortPercent { // also -1: somebody has chosen
				debug.SetGCPercent(c.usual)
			}
		}
		return
	}
	if c.budgets--; c.budgets == 0 {
		debug.SetGCPercent(c.usual)
	}
}
