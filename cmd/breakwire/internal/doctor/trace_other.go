//go:build !linux

package doctor

// tryTrace does nothing: other systems ask the user, or allow tracing.
func tryTrace() error { return nil }
