//go:build unix

package main

import (
	"errors"
	"os/signal"
	"syscall"
)

// ignoreBrokenPipe makes a write to a client that is gone an error instead of our end: sessions must still be closed.
func ignoreBrokenPipe() { signal.Ignore(syscall.SIGPIPE) }

// brokenPipe tells whether a write failed because nobody is there to read.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
