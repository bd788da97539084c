package mcpserver_test

import "testing"

// makePipe is for systems whose named pipes are files.
func makePipe(_ *testing.T, path string) string { return path }
