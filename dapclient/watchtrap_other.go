//go:build !linux || !amd64

package dapclient

// tryWatch assumes that it works.
func tryWatch() error { return nil }
