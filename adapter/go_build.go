package adapter

import (
	"context"
	"errors"
	"os"

	"breakwire/adapter/fault"
	"breakwire/dapclient"
	programsymbols "breakwire/mapping/symbols"
)

// What to do about a Go program that was not built for debugging.
const (
	optimisedBuild = `the program was built with optimisation, so lines are refused and variables are missing or ` +
		`wrong; build it with go build -gcflags="all=-N -l", or launch its package folder`
	strippedBuild = `the program has no debug information, so it has no source lines and no variables; build it ` +
		`without -ldflags="-s -w" and with -gcflags="all=-N -l", or launch its package folder`
)

// noSymbols returns the error for variables that cannot be read because the program has no debug information; else nil.
func (s *Session) noSymbols(err error) *fault.Error {
	var failed *dapclient.ResponseError
	text := s.profile.NoSymbolsText
	if !errors.As(err, &failed) || text == nil || !text.MatchString(failed.Reason()) {
		return nil
	}
	return fault.Errorf(fault.NoSymbols, "%s", strippedBuild).With("backendMessage", failed.Reason()).
		With("sessionId", s.id)
}

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
		what = strippedBuild
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
