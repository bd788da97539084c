package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func newVersion(std streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  breakwire version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(std.out, "breakwire %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS,
				runtime.GOARCH)
			return err
		},
	}
}
