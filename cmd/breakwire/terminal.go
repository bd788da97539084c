package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"breakwire/cmd/breakwire/internal/view"
)

// isTerminal tells whether somebody sits there.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && consoleWidth(f) > 0
}

// terminalWidth is how many columns there are, 0 for what is no terminal.
func terminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		return consoleWidth(f)
	}
	return 0
}

// newStyle is colourful only for a terminal that can, and for somebody who wants it: see https://no-color.org.
func newStyle(w io.Writer) view.Style {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !isTerminal(w) || !canColour(w.(*os.File)) {
		return view.Style{}
	}
	return view.Colours
}

// progress says on a terminal how far a long piece of work is. It is a writer that counts what goes through it.
type progress struct {
	out   io.Writer // nil: nobody is there to read it
	what  string
	total int64
	seen  int64
	next  time.Time
	said  bool
}

// quiet is how long work goes on before anything is said, and how often then.
const quiet = 200 * time.Millisecond

func newProgress(out io.Writer, what string, total int64) *progress {
	p := &progress{what: what, total: total, next: time.Now().Add(quiet)}
	if isTerminal(out) {
		p.out = out
	}
	return p
}

func (p *progress) Write(b []byte) (int, error) {
	p.seen += int64(len(b))
	if p.out != nil && p.total > 0 {
		if now := time.Now(); now.After(p.next) {
			p.next, p.said = now.Add(quiet), true
			fmt.Fprintf(p.out, "\r%s: %d %%", p.what, p.seen*100/p.total)
		}
	}
	return len(b), nil
}

// done takes the line away.
func (p *progress) done() {
	if p.said {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
