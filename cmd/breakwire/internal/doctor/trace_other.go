//go:build !linux

package doctor

// tryTrace has nothing to try: other systems ask the user, or allow it.
func tryTrace() error { return nil }
