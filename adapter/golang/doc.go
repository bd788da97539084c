// Package golang reads Go source, go.mod files and machine registers for what Delve does not tell. It has no
// goroutines.
package golang
