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

// isTerminal tells whether somebody sits there.
func isTerminal(w io.Writer) bool {
	return terminalWidth(w) > 0
}

// terminalWidth is how many columns there are, 0 for what is no terminal.
func terminalWidth(w io.Writer) int {
	if f, ok := behind(w).(*os.File); ok {
		return consoleWidth(f)
	}
	return 0
}

// newStyle is colourful only for a terminal that can, and for somebody who wants it: see https://no-color.org.
func newStyle(w io.Writer) view.Style {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !isTerminal(w) || !canColour(behind(w).(*os.File)) {
		return view.Style{}
	}
	return view.Colours
}

// asciiOnly tells whether the locale has no signs but those of ASCII.
func asciiOnly() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(os.Getenv(name)); locale != "" {
			return !strings.Contains(locale, "utf")
		}
	}
	return false
}

// erasable tells whether a line can be written there that is taken away again.
func erasable(w io.Writer) bool { return isTerminal(w) && os.Getenv("TERM") != "dumb" }

// waiting says on a terminal what goes on, once it takes long. The function it returns takes the line away.
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

// done takes the line away.
func (p *progress) done() {
	if p.said {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
