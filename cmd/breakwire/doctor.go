package main

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"breakwire/cmd/breakwire/internal/doctor"
)

//go:embed usage/doctor.txt
var doctorLong string

func newDoctor(std streams) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use: "doctor [PROGRAM]", Short: "Say which debuggers work here and how to get what is missing",
		Long:    strings.TrimSpace(doctorLong),
		Example: "  breakwire doctor\n  breakwire doctor bin/Debug/net9.0/App.dll\n  breakwire doctor --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("unexpected argument %q: one program at a time", args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			program := ""
			if len(args) == 1 {
				program = args[0]
			}
			done := waiting(std.err, "asking the debuggers")
			r := doctor.Examine(cmd.Context(), version, program)
			done()
			if asJSON {
				enc := json.NewEncoder(std.out)
				enc.SetIndent("", "  ")
				if err := enc.Encode(r); err != nil {
					return err
				}
			} else {
				r.Print(std.out, newStyle(std.out), asciiOnly())
			}
			if !r.OK {
				return statusError(exitFailure)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
