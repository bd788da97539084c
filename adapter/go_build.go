package adapter

import (
	"context"
	"os"

	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/dapclient"
	programsymbols "breakwire/mapping/symbols"
)

// What to do about a Go program that was not built for debugging.
const (
	optimisedBuild = `the program was built with optimisation, so lines are refused and variables are missing or ` +
		`wrong; build it with go build -gcflags="all=-N -l", or launch its package folder`
)

// warnOfBuild says with the start that a Go program was not built for debugging. It reads the disk, so the session's
// loop must not call it.
func (s *Session) warnOfBuild(ctx context.Context) {
	if s.profile.Language != dapclient.Go || !s.backend.Local {
		return
	}
	program, err := os.Open(s.goBinary())
	if err != nil {
		return
	}
	defer program.Close()
	build, err := programsymbols.ReadGoBuild(program)
	what := ""
	switch {
	case err != nil:
	case build.Stripped:
		what = inspect.StrippedBuild
	case build.Optimised:
		what = optimisedBuild
	}
	if what == "" {
		return
	}
	_, _ = onLoop(ctx, s, func(done func(struct{}, error)) {
		s.warn(fault.Errorf(fault.NotSupported, "%s", what))
		done(struct{}{}, nil)
	})
}

// goBinary returns the executable that runs, also when Delve has built it.
func (s *Session) goBinary() string {
	p := s.Snapshot().Process
	if p.Exe != "" {
		return p.Exe
	}
	if info, err := dapclient.FindProcess(p.Pid); p.Pid > 1 && err == nil {
		return info.Exe
	}
	return ""
}
