// Command breakwire is an MCP server that debugs real programs through the Debug Adapter Protocol.
//
// This package is the command line: flags, the log, the connection of sessions to a transport, and signals. Each
// subcommand has a file of its own. The exit status is 0 at the end of the input, 1 on a failure and 2 on wrong
// usage.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// version is set by the linker.
var version = "dev"

// Exit statuses.
const (
	exitOK = iota
	exitFailure
	exitUsage
)

// streams are the three standard streams; tests pass their own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// executable is the path of this program. It is empty in tests, because a test binary must not be started in its
// place.
var executable string

func main() {
	executable, _ = os.Executable()
	os.Exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// run is the whole program without the exit.
func run(ctx context.Context, args []string, std streams) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := &printout{to: std.out, failed: cancel}
	root := newRoot(streams{std.in, out, std.err})
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if out.err != nil { // the cause of any other error
		if brokenPipe(out.err) { // the reader has closed the pipe
			return exitFailure
		}
		err = fmt.Errorf("print: %w", out.err)
	}
	if err == nil {
		return exitOK
	}
	var status statusError
	if errors.As(err, &status) {
		return int(status)
	}
	fmt.Fprintf(std.err, "%s: %v\n", cmd.CommandPath(), err)
	var usage usageError
	if errors.As(err, &usage) {
		fmt.Fprintf(std.err, "Run '%s --help' for usage.\n", cmd.CommandPath())
		return exitUsage
	}
	return exitFailure
}

// usageError is an error on the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// statusError is an exit status without a message, because the error was reported before.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// noArgs refuses positional arguments as wrong usage.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q", args[0])
	}
	return nil
}
