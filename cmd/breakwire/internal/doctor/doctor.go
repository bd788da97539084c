// Package doctor checks which debuggers work on this machine and what they can do, and suggests a next step for those
// that do not work. It also reports whether a program can be debugged.
//
// Examine starts all debuggers at the same time, each once. It returns when each has answered or reached its time
// limit.
package doctor

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"breakwire/dapclient"
)

// handshakeTime limits the handshake of one debugger. All handshakes run at the same time.
const handshakeTime = 20 * time.Second

// Report has all results. `breakwire doctor --json` prints it as JSON.
type Report struct {
	OK       bool            `json:"ok"`
	Version  string          `json:"version"`
	System   systemReport    `json:"system"`
	Backends []backendReport `json:"backends"`
	Dotnet   dotnetReport    `json:"dotnet"`
	Program  *programReport  `json:"program,omitempty"`
}

// finding is a fact for the user, with the next step.
type finding struct {
	Level level  `json:"level"`
	Text  string `json:"text"`
	Next  string `json:"next,omitempty"` // the next step, a command if there is one
}

type level string

const (
	fine    level = "ok"
	warning level = "warning" // works, with restrictions
	problem level = "problem" // does not work
)

// Examine checks the machine and the debuggers, and a program if one is given. version is breakwire's own.
func Examine(ctx context.Context, version, program string) Report {
	r := Report{Version: version, System: ExamineSystem(), Dotnet: examineDotnet(ctx)}
	profiles := dapclient.Profiles()
	r.Backends = make([]backendReport, len(profiles))
	var all sync.WaitGroup
	for i, p := range profiles {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, handshakeTime)
			defer cancel()
			r.Backends[i] = examineBackend(ctx, p, r.System)
		})
	}
	all.Wait()
	r.Backends = slices.DeleteFunc(r.Backends, func(b backendReport) bool { // lldb-dap does the same
		return b.Name == "codelldb" && b.Path == "" && os.Getenv("CODELLDB_PATH") == ""
	})
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
		r.OK = !p.fails() && slices.ContainsFunc(r.Backends, func(b backendReport) bool {
			return b.Name == p.Backend && b.Works
		})
	}
	return r
}

// systemReport is the report on the machine.
type systemReport struct {
	OS        string    `json:"os"`
	Arch      string    `json:"arch"`
	Libc      string    `json:"libc,omitempty"` // glibc or musl, on Linux
	PtraceSet *int      `json:"ptraceScope,omitempty"`
	Findings  []finding `json:"findings,omitempty"`
}

// ExamineSystem checks what the machine allows a debugger to do.
func ExamineSystem() systemReport {
	s := systemReport{OS: runtime.GOOS, Arch: runtime.GOARCH}
	if s.OS == "linux" {
		s.Libc = "glibc"
		if musl, _ := filepath.Glob("/lib/ld-musl-*"); len(musl) > 0 {
			if glibc, _ := filepath.Glob("/lib*/ld-linux*"); len(glibc) == 0 {
				s.Libc = "musl"
			}
		}
	}
	s.PtraceSet = ptraceScope(ptraceSetting)
	s.Findings = append(examineTracing(s.PtraceSet), watching(dapclient.WatchTraps()), examineCores())
	return s
}

const ptraceSetting = "/proc/sys/kernel/yama/ptrace_scope"

func examineTracing(scope *int) []finding { return tracing(scope, tryTrace(), os.Geteuid()) }

// WhyNoAttach returns why debuggers cannot attach to processes here, "" when they can.
func WhyNoAttach() string {
	for _, f := range examineTracing(ptraceScope(ptraceSetting)) {
		if f.Level != fine {
			return f.Text
		}
	}
	return ""
}
