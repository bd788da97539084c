package jsdebug

import (
	"regexp"
	"strings"
	"sync"
)

// nodeWords takes out of a program's standard error what Node says because a debugger is there.
type nodeWords struct {
	inspector chan string // takes the addresses that Node tells, HOST:PORT/UUID
	rest      string      // the beginning of what may be such a line
	inLine    bool        // a line has begun that is the program's own
}

// wordHeads are how such lines begin.
var wordHeads = []string{
	"Debugger listening on ws://", "For help, see: https://nodejs.org/", "Debugger attached.",
	"Waiting for the debugger to disconnect...", "Debugger ending on ws://",
}

var wordLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:Debugger listening on ws://(\S+)|For help, see: https://nodejs\.org/\S*inspector|` +
		`Debugger attached\.|Waiting for the debugger to disconnect\.\.\.|Debugger ending on ws://\S+)\r?\n$`)
})

// without returns the program's own part of a text. It keeps the beginning of a line that may be Node's for the next
// one.
func (w *nodeWords) without(text string) string {
	var own strings.Builder
	text = w.rest + text
	w.rest = ""
	for text != "" {
		end := strings.IndexByte(text, '\n') + 1
		if end == 0 {
			if !w.inLine && begins(text) {
				w.rest = text
				break
			}
			own.WriteString(text)
			w.inLine = true
			break
		}
		line := text[:end]
		text = text[end:]
		if m := wordLine().FindStringSubmatch(line); m == nil || w.inLine {
			own.WriteString(line)
		} else if m[1] != "" {
			select {
			case w.inspector <- m[1]:
			default: // nobody waits for it
			}
		}
		w.inLine = false
	}
	return own.String()
}

// begins reports whether a text without a line end may be the beginning of a line of Node.
func begins(text string) bool {
	for _, head := range wordHeads {
		if strings.HasPrefix(head, text) || strings.HasPrefix(text, head) && len(text) < 200 {
			return true
		}
	}
	return false
}
