package mcpserver_test

import "testing"

// makePipe does nothing: on Windows named pipes are not files.
func makePipe(_ *testing.T, path string) string { return path }
