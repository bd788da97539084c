package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"breakwire/cmd/breakwire/internal/view"
)

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	return terminalWidth(w) > 0
}

// terminalWidth is the number of columns of a terminal, 0 for anything else.
func terminalWidth(w io.Writer) int {
	if f, ok := behind(w).(*os.File); ok {
		return consoleWidth(f)
	}
	return 0
}

// newStyle has colours only for a terminal that supports them, and not with NO_COLOR (https://no-color.org).
func newStyle(w io.Writer) view.Style {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !isTerminal(w) || !canColour(behind(w).(*os.File)) {
		return view.Style{}
	}
	return view.Colours
}

// asciiOnly reports whether the locale has only ASCII characters.
func asciiOnly() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(os.Getenv(name)); locale != "" {
			return !strings.Contains(locale, "utf")
		}
	}
	return false
}

// erasable reports whether a line on w can be erased again.
func erasable(w io.Writer) bool { return isTerminal(w) && os.Getenv("TERM") != "dumb" }

// waiting shows on a terminal what a long wait is for. The returned function erases the line.
func waiting(out io.Writer, what string) (done func()) {
	if !erasable(out) {
		return func() {}
	}
	var mu sync.Mutex
	var over, said bool
	timer := time.AfterFunc(quiet, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			said = true
			fmt.Fprintf(out, "\r%s ...", what)
		}
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		if over = true; said {
			fmt.Fprint(out, "\r\x1b[K")
		}
	}
}

// progress shows on a terminal how much of a long task is done. It is a writer that counts the bytes written through
// it.
type progress struct {
	out   io.Writer // nil: no output
	what  string
	total int64
	seen  int64
	next  time.Time
	said  bool
}

// quiet is the time before the first output of progress, and between two outputs.
const quiet = 200 * time.Millisecond

func newProgress(out io.Writer, what string, total int64) *progress {
	p := &progress{what: what, total: total, next: time.Now().Add(quiet)}
	if erasable(out) {
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

// done erases the line.
func (p *progress) done() {
	if p.said {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
