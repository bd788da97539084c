package mcpserver

import (
	"runtime/debug"
	"sync"
)

// shortPercent is the garbage collector's percentage (GOGC) while a budget is used up.
const shortPercent = 25

// memory controls the garbage collector of the process. Usually garbage may grow as large as the memory in use. While
// calls wait for a client to read, that is much memory, so the collector runs more often.
var memory collector

type collector struct {
	mu      sync.Mutex
	budgets int // budgets that are used up
	usual   int // the percentage at other times
}

// short adds a used-up budget when is is true, and removes one otherwise.
func (c *collector) short(is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if is {
		if c.budgets++; c.budgets == 1 {
			c.usual = debug.SetGCPercent(shortPercent)
			if c.usual < shortPercent { // also -1: the user has chosen a value
				debug.SetGCPercent(c.usual)
			}
		}
		return
	}
	if c.budgets--; c.budgets == 0 {
		debug.SetGCPercent(c.usual)
	}
}
