//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// consoleWidth is the number of columns of a terminal, 0 for anything else.
func consoleWidth(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	switch {
	case err != nil:
		return 0
	case size.Col == 0: // the terminal does not report its size
		return 80
	}
	return int(size.Col)
}

func canColour(*os.File) bool { return true }
