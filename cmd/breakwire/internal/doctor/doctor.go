// Package doctor finds out which debuggers work on this machine, what they can do, and what to do about those that do
// not. It also says whether a program can be debugged.
//
// Examine starts each debugger once, all at the same time, and returns when every one has answered or has had its time.
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

// handshakeTime bounds the handshake of one debugger. All are asked at the same time.
const handshakeTime = 20 * time.Second

// Report is everything that was found. Its JSON is the output of `breakwire doctor --json`.
type Report struct {
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

// Examine looks at everything. A program is looked at if one is given. The version is that of breakwire itself.
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

// systemReport is about the machine.
type systemReport struct {
	OS        string    `json:"os"`
	Arch      string    `json:"arch"`
	Libc      string    `json:"libc,omitempty"` // glibc or musl, on Linux
	PtraceSet *int      `json:"ptraceScope,omitempty"`
	Findings  []finding `json:"findings,omitempty"`
}

// ExamineSystem looks at what the machine lets a debugger do.
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
	s.PtraceSet = ptraceScope("/proc/sys/kernel/yama/ptrace_scope")
	s.Findings = append(s.Findings, tracing(s.PtraceSet, tryTrace(), os.Geteuid())...)
	return s
}
