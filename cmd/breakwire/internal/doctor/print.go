package doctor

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"breakwire/cmd/breakwire/internal/view"
)

// paint writes lines with signs and colours.
type paint struct {
	out   io.Writer
	style view.Style
	ascii bool
}

func (p paint) bold(text string) string  { return p.style.Paint(p.style.Bold, text) }
func (p paint) faint(text string) string { return p.style.Paint(p.style.Dim, text) }

func (p paint) line(format string, args ...any) {
	fmt.Fprintln(p.out, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

// sign is one character wide; it works without colours and in ASCII.
func (p paint) sign(l level) string {
	s := p.style
	signs := map[level][3]string{
		fine: {"✓", "+", s.Green}, warning: {"!", "!", s.Yellow}, problem: {"✗", "x", s.Red},
	}[l]
	if p.ascii {
		return s.Paint(signs[2], signs[1])
	}
	return s.Paint(signs[2], signs[0])
}

func (p paint) finding(f finding, indent string) {
	p.line("%s%s %s", indent, p.sign(f.Level), f.Text)
	if f.Next != "" {
		p.next(f.Next, indent)
	}
}

func (p paint) next(step, indent string) {
	arrow := "→"
	if p.ascii {
		arrow = "->"
	}
	p.line("%s  %s %s", indent, arrow, p.bold(step))
}

// Print writes the report for a terminal: with the colours of style, in ASCII if the locale has no other characters.
func (r Report) Print(out io.Writer, style view.Style, ascii bool) {
	p := paint{out, style, ascii}
	p.line("breakwire %s on %s/%s", r.Version, r.System.OS, r.System.Arch)
	if r.Program != nil {
		r.Program.print(p)
	}
	p.line("\n%s", p.bold("Debuggers"))
	for _, b := range r.Backends {
		b.print(p)
	}
	p.line("\n%s", p.bold(".NET"))
	if r.Dotnet.Path != "" {
		var versions []string
		for _, v := range r.Dotnet.Runtimes {
			versions = append(versions, strings.TrimSuffix(strings.TrimPrefix(v.Name, "Microsoft."), ".App")+" "+v.Version)
		}
		p.line("  %s dotnet %s  %s", p.sign(sick(r.Dotnet.Findings)), strings.Join(versions, ", "),
			p.faint(r.Dotnet.Path+" ("+r.Dotnet.Source+")"))
	}
	for _, f := range r.Dotnet.Findings {
		p.finding(f, "  ")
	}
	p.line("\n%s", p.bold("System"))
	for _, f := range r.System.Findings {
		p.finding(f, "  ")
	}
	p.line("\n%s", r.verdict(p))
}

func (r Report) verdict(p paint) string {
	var work []string
	for _, b := range r.Backends {
		if b.Works {
			work = append(work, b.Name)
		}
	}
	switch {
	case r.Program != nil && r.OK:
		return p.sign(fine) + " " + r.Program.Path + " can be debugged with " + r.Program.Backend + "."
	case r.Program != nil:
		return p.sign(problem) + " " + r.Program.Path + " cannot be debugged yet: see the lines marked above."
	case r.OK:
		return p.sign(fine) + " Ready: " + strings.Join(work, ", ") + ". `breakwire demo` shows a whole session."
	}
	return p.sign(problem) + " No debugger works here yet. `breakwire demo --backend replay` shows a recorded session."
}

// sick returns the worst level of findings.
func sick(list []finding) level {
	worst := fine
	for _, f := range list {
		if f.Level == problem || f.Level == warning && worst == fine {
			worst = f.Level
		}
	}
	return worst
}

func (b backendReport) print(p paint) {
	mark := problem
	if b.Works {
		mark = sick(b.Findings)
	}
	state := b.Version
	switch {
	case b.Path == "":
		state = "not found"
	case state == "":
		state = "version unknown"
	}
	p.line("  %s %-12s%-36s%s", p.sign(mark), b.Name, b.Debugs, state)
	if b.Path != "" {
		p.line("      %s", p.faint(b.Path))
	}
	for _, how := range []struct{ value, title string }{{"native", "does"}, {"emulated", "emulated"},
		{"unavailable", "lacks"}} {
		var names []string
		for name, value := range b.Capabilities {
			if value == how.value {
				names = append(names, words(name))
			}
		}
		slices.Sort(names)
		if len(names) > 0 {
			p.line("      %-10s%s", how.title, strings.Join(names, ", "))
		}
	}
	for _, f := range b.Findings {
		if b.Path == "" && f.Next != "" {
			p.next(f.Next, "    ")
			continue
		}
		p.finding(f, "      ")
	}
}

// words turns conditionalBreakpoints into "conditional breakpoints".
func words(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (r programReport) print(p paint) {
	p.line("\n%s", p.bold("Program"))
	mark := sick(r.Findings)
	if r.Backend == "" {
		p.line("  %s %s", p.sign(problem), r.Path)
	} else {
		p.line("  %s %s  %s", p.sign(mark), r.Path, p.faint(r.Backend+": "+r.Why))
	}
	if r.Starts != "" {
		p.line("      starts %s", r.Starts)
	}
	for _, f := range r.Findings {
		p.finding(f, "      ")
	}
}
