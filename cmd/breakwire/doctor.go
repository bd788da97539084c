package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"breakwire/dapclient"
)

const doctorLong = `Looks for each debugger, has it answer, and says what it can do; for everything that is missing it says what to do next on
this system. With PROGRAM it also says which debugger that program takes and whether its symbols can be used.

The exit status is 0 when at least one debugger works, with PROGRAM the one that it needs, else 1.`

// doctorPatience bounds the handshake of one debugger. All are asked at the same time.
const doctorPatience = 20 * time.Second

// diagnosis is everything the doctor found, and the form of --json.
type diagnosis struct {
	OK       bool            `json:"ok"`
	Version  string          `json:"version"`
	System   systemReport    `json:"system"`
	Backends []backendReport `json:"backends"`
	Dotnet   dotnetReport    `json:"dotnet"`
	Program  *programReport  `json:"program,omitempty"`
}

// finding is something to know, and what to do about it.
type finding struct {
	Level level  `json:"level"`
	Text  string `json:"text"`
	Next  string `json:"next,omitempty"` // the step to take, a command where there is one
}

type level string

const (
	fine    level = "ok"
	warning level = "warning" // works, but less well
	problem level = "problem" // does not work
)

func newDoctor(std streams) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use: "doctor [PROGRAM]", Short: "Say which debuggers work here and how to get what is missing", Long: doctorLong,
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
			r := examine(cmd.Context(), program)
			done()
			if asJSON {
				enc := json.NewEncoder(std.out)
				enc.SetIndent("", "  ")
				if err := enc.Encode(r); err != nil {
					return err
				}
			} else {
				r.print(std.out)
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

// examine looks at everything.
func examine(ctx context.Context, program string) diagnosis {
	r := diagnosis{Version: version, System: examineSystem(), Dotnet: examineDotnet(ctx)}
	profiles := dapclient.Profiles()
	r.Backends = make([]backendReport, len(profiles))
	var all sync.WaitGroup
	for i, p := range profiles {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, doctorPatience)
			defer cancel()
			r.Backends[i] = examineBackend(ctx, p, r.System)
		})
	}
	all.Wait()
	for i := range r.Backends {
		if r.Backends[i].Name == "netcoredbg" {
			r.Backends[i].needDotnet(r.Dotnet)
		}
	}
	r.OK = slices.ContainsFunc(r.Backends, func(b backendReport) bool { return b.Works })
	if program != "" {
		if abs, err := filepath.Abs(program); err == nil {
			program = abs
		}
		p := examineProgram(program, r.Dotnet)
		r.Program = &p
		r.OK = !p.fails() && slices.ContainsFunc(r.Backends, func(b backendReport) bool { return b.Name == p.Backend && b.Works })
	}
	return r
}

// systemReport is about the machine.
type systemReport struct {
	OS        string    `json:"os"`
	Arch      string    `json:"arch"`
	Libc      string    `json:"libc,omitempty"` // glibc or musl, on Linux
	PtraceSet *int      `json:"ptraceScope,omitempty"`
	Findings  []finding `json:"findings,omitempty"`
}

func examineSystem() systemReport {
	s := systemReport{OS: runtime.GOOS, Arch: runtime.GOARCH}
	if s.OS == "linux" {
		s.Libc = "glibc"
		if musl, _ := filepath.Glob("/lib/ld-musl-*"); len(musl) > 0 {
			if glibc, _ := filepath.Glob("/lib*/ld-linux*"); len(glibc) == 0 {
				s.Libc = "musl"
			}
		}
	}
	s.PtraceSet = ptraceScope("/proc/sys/kernel/yama/ptrace_scope")
	s.Findings = append(s.Findings, tracing(s.PtraceSet, tryTrace(), os.Geteuid())...)
	return s
}
