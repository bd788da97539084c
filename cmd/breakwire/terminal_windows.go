package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// consoleWidth is the number of columns of a console, 0 for anything else.
func consoleWidth(f *os.File) int {
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info); err != nil {
		return 0
	}
	return max(20, int(info.Window.Right-info.Window.Left)+1)
}

// canColour enables escape sequences on the console; old consoles do not support them.
func canColour(f *os.File) bool {
	h := windows.Handle(f.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(h, &mode); err != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
