// Command breakwire is an MCP server that debugs real programs through the Debug Adapter Protocol.
//
// This package is the command line: flags, the log, the wiring of sessions to a transport, and signals. Each subcommand
// has a file of its own. It exits 0 at the end of its input, 1 on a failure and 2 on wrong usage.
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

// streams are the three standard streams, so that tests can bring their own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// executable is the path of the program that runs; empty in tests, whose own must not be started as if it were this
// one.
var executable string

func main() {
	executable, _ = os.Executable()
	os.Exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// run is the whole program but for the exit.
func run(ctx context.Context, args []string, std streams) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := &printout{to: std.out, failed: cancel}
	root := newRoot(streams{std.in, out, std.err})
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if out.err != nil { // whatever else went wrong went wrong by it
		if brokenPipe(out.err) { // who read it has seen enough
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

// usageError is a mistake on the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// statusError is an exit status without a message: everything has been said.
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
