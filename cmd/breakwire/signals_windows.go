package main

import (
	"errors"

	"golang.org/x/sys/windows"
)

// ignoreBrokenPipe has nothing to do: Windows has no SIGPIPE.
func ignoreBrokenPipe() {}

// brokenPipe tells whether a write failed because nobody is there to read.
func brokenPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
