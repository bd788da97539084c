package main

// ignoreBrokenPipe has nothing to do: Windows has no SIGPIPE.
func ignoreBrokenPipe() {}
