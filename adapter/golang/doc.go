// Package golang reads Go source and machine registers for what Delve does not tell. It has no goroutines.
package golang
