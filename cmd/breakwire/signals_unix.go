//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreBrokenPipe makes a write to a client that is gone an error instead of our end: sessions must still be closed.
func ignoreBrokenPipe() { signal.Ignore(syscall.SIGPIPE) }
