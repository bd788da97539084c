package adapter

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/golang"
	"breakwire/adapter/inspect"
	"breakwire/dapclient"
	programsymbols "breakwire/mapping/symbols"
)

// refusedLine is a line of source that the debugger has refused.
type refusedLine struct {
	file    string // the debugger's path
	line    int
	message string // the debugger's reason

	why  string // what the program's symbols add to it; "" when they add nothing
	next int    // the next line with code, 0 when it is not known
}

// explainLines completes the reasons of the lines that the debugger of a Go program has refused. It reads the program
// from the disk, so the session's loop must not call it.
func (s *Session) explainLines(ctx context.Context) {
	if !s.hasRefusedLine() {
		return
	}
	lines, err := onLoop(ctx, s, func(done func([]refusedLine, error)) {
		var lines []refusedLine
		for _, e := range s.held.Entries() {
			if e.File != "" && !e.Verified && e.Message != "" && e.Why == "" {
				lines = append(lines, refusedLine{file: e.File, line: e.Line, message: e.Message})
			}
		}
		done(lines, nil)
	})
	if err != nil || len(lines) == 0 {
		return
	}
	for i := range lines {
		s.explain(&lines[i])
	}
	_, _ = onLoop(ctx, s, func(done func(struct{}, error)) {
		for _, e := range s.held.Entries() {
			for _, l := range lines {
				if e.File == l.file && e.Line == l.line && !e.Verified && e.Message == l.message {
					e.Why, e.Next = l.why, l.next
				}
			}
		}
		if s.life.ending == nil {
			s.rebind()
		}
		done(struct{}{}, nil)
	})
}

// hasRefusedLine reports whether the debugger has refused a line breakpoint of this session.
func (s *Session) hasRefusedLine() bool {
	snap := s.Snapshot()
	return slices.ContainsFunc(s.manager.registry.ForSession(s.id), func(bp *breakpoint.Breakpoint) bool {
		b := snap.Bindings[bp.ID]
		return bp.Enabled && bp.Spec.File != "" && b != nil && b.State == breakpoint.Failed
	})
}

// explain adds to a refused line of a Go program what the program's symbols say.
func (s *Session) explain(l *refusedLine) {
	if s.profile.Language != dapclient.Go || !s.backend.Local {
		return
	}
	program, err := os.Open(s.goBinary())
	if err != nil {
		return
	}
	defer program.Close()
	build, err := programsymbols.ReadGoBuild(program)
	if err == nil && build.Stripped {
		l.why = "; " + inspect.StrippedBuild
		return
	}
	if text := s.profile.UnknownFileText; text != nil && text.MatchString(l.message) {
		l.why = golang.ExplainFile(program, l.file, build, s.reader())
		return
	}
	var m []string
	if s.profile.NoCodeText != nil {
		m = s.profile.NoCodeText.Regexp().FindStringSubmatch(l.message)
	}
	if m == nil {
		return
	}
	if line, err := strconv.Atoi(m[2]); err == nil {
		lines, err := programsymbols.GoLines(program, m[1])
		if err != nil {
			s.log.Debug("lines with code are not known", "file", m[1], "error", err)
		}
		l.next = nextLine(lines, line)
	}
	if l.next > 0 {
		l.why = fmt.Sprintf("; the next line with code is %d", l.next)
		if l.next < l.line {
			l.why = fmt.Sprintf("; the last line with code is %d", l.next)
		}
	}
	if build.Optimised {
		l.why += "; " + optimisedBuild
	}
}

// nextLine returns the first of the sorted lines after a line; after the last one, that one. It returns 0 without
// lines.
func nextLine(lines []int, line int) int {
	if len(lines) == 0 {
		return 0
	}
	i, _ := slices.BinarySearch(lines, line+1)
	return lines[min(i, len(lines)-1)]
}
