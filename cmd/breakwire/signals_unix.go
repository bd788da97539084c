//go:build unix

package main

import (
	"errors"
	"os/signal"
	"syscall"
)

// ignoreBrokenPipe makes a write to a closed pipe return an error instead of ending this process, because sessions
// must still be closed.
func ignoreBrokenPipe() { signal.Ignore(syscall.SIGPIPE) }

// brokenPipe reports whether a write failed because the reader has gone.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
