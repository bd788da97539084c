package main

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"breakwire/dapclient"
)

// guardGrace is the time that an adapter has to end by itself after our end. Adapters that do end need less than one
// second.
const guardGrace = 3 * time.Second

// guardCommand returns the command of a guard, nil when it is unknown.
func guardCommand() []string {
	if executable == "" {
		return nil
	}
	return []string{executable, "guard"}
}

// newGuard is the subcommand that runs beside an adapter (dapclient.Process.Guard). Users do not call it.
func newGuard(std streams) *cobra.Command {
	return &cobra.Command{
		Use:    "guard PID START [HELD]",
		Short:  "End a debug adapter when the end of the input tells that its breakwire is gone",
		Hidden: true,
		Args:   cobra.RangeArgs(2, 3),
		RunE: func(_ *cobra.Command, args []string) error {
			pid, err := strconv.Atoi(args[0])
			if err != nil {
				return usagef("guard: %q is no process id", args[0])
			}
			hold := 0
			if len(args) > 2 {
				if hold, err = strconv.Atoi(args[2]); err != nil {
					return usagef("guard: %q is no number of files", args[2])
				}
			}
			return dapclient.RunGuard(std.in, pid, args[1], hold, guardGrace)
		},
	}
}
