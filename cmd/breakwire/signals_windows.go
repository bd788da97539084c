package main

import (
	"errors"

	"golang.org/x/sys/windows"
)

// ignoreBrokenPipe has nothing to do: Windows has no SIGPIPE.
func ignoreBrokenPipe() {}

// brokenPipe reports whether a write failed because the reader has gone.
func brokenPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
