package inspect

import (
	"strings"
	"unicode"

	"breakwire/mapping"

	"github.com/google/go-dap"
)

// inDotnet finds the threads that wait at a lock statement. The runtime's own wait has no frame, and netcoredbg reads
// neither the owner of a lock nor the identity of an object. So only a lock on a static field has holders: the threads
// inside a lock statement on it.
func (w *waitsRead) inDotnet() {
	static := map[string]bool{}
	for _, id := range w.threads {
		frames := w.Cache.Frames.Top(w.Epoch, id)
		own := w.own(id)
		if id == w.Stop.Thread || len(own) == 0 || frames[0].Id != own[0].Id || w.late() {
			continue
		}
		if waits, _ := csharpLocks(string(w.source(own[0])), own[0].Line); waits != "" {
			on, _ := w.staticField(own[0], waits, static)
			w.found[id] = Wait{For: "lock (" + waits + ")", On: on}
		}
	}
	if len(w.found) == 0 {
		return
	}
	for _, id := range w.threads {
		inside := w.waiting(id)
		for i, f := range w.own(id) {
			text := string(w.source(f))
			_, held := csharpLocks(text, f.Line)
			for _, expression := range held {
				// A thread in Monitor.Wait has let go of the object.
				given := i == 0 && len(inside) > 0 && strings.Contains(sourceLine(text, f.Line), "Monitor.Wait("+expression)
				if on, ok := w.staticField(f, expression, static); ok && !given {
					w.held(on, id, false)
				}
			}
		}
	}
}

// staticField returns the full name of a static field of the frame's class. known are the names that were asked for.
func (w *waitsRead) staticField(f dap.StackFrame, name string, known map[string]bool) (string, bool) {
	class := mapping.LogicalFunction(f.Name)
	if end := strings.IndexAny(class, "(<"); end >= 0 {
		class = class[:end]
	}
	dot := strings.LastIndexByte(class, '.')
	if dot < 0 || !isPlace(name) {
		return "", false
	}
	full := class[:dot] + "." + name
	if _, asked := known[full]; !asked && !w.late() {
		// In the frame of a thread that waits in the runtime, netcoredbg often does not find it.
		here, err := w.frame(w.Stop.Thread, w.Stop.Frame)
		if err != nil {
			return "", false
		}
		body, err := w.evaluate(here, full, evaluateTimeout)
		known[full] = err == nil && body.Result != "null"
	}
	if !known[full] {
		return "", false
	}
	return full, true
}

// sourceLine returns a line of a text, "" when it has none.
func sourceLine(text string, line int) string {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return lines[line-1]
}

// csharpLocks returns what the lock statement or Monitor.Enter at a line locks, and what those before it have locked.
func csharpLocks(text string, line int) (waits string, held []string) {
	code := csharpCode(text)
	lineAt := func(i int) int { return strings.Count(code[:min(i, len(code))], "\n") + 1 }
	waits, held = csharpEnters(code, text, line)
	for from := 0; ; {
		at := strings.Index(code[from:], "lock")
		if at < 0 {
			return waits, held
		}
		at += from
		from = at + len("lock")
		open := spaceAfter(code, from)
		word := at > 0 && (unicode.IsLetter(rune(code[at-1])) || strings.ContainsRune("_.@", rune(code[at-1])))
		if word || open >= len(code) || code[open] != '(' {
			continue
		}
		end := closingBracket(code, open)
		expression := strings.TrimSpace(text[open+1 : max(open+1, min(end, len(text)))])
		body := spaceAfter(code, end+1)
		last := len(code)
		if body < len(code) && code[body] == '{' {
			last = closingBracket(code, body)
		} else if semicolon := strings.IndexByte(code[min(body, len(code)):], ';'); semicolon >= 0 {
			last = body + semicolon
		}
		switch {
		case lineAt(at) == line:
			waits = expression
		case lineAt(at) < line && line <= lineAt(last):
			held = append(held, expression)
		}
	}
}

// csharpEnters is csharpLocks for calls of Monitor.Enter and TryEnter: what they lock is held to the end of the block,
// or to a Monitor.Exit before the line.
func csharpEnters(code, text string, line int) (waits string, held []string) {
	start := 0 // of the line
	for range line - 1 {
		start += strings.IndexByte(code[start:], '\n') + 1
	}
	for from := 0; ; {
		at := strings.Index(code[from:], "Monitor.")
		if at < 0 {
			return waits, held
		}
		at += from
		from = at + len("Monitor.")
		open := strings.IndexByte(code[from:], '(') + from
		if method := code[from:max(open, from)]; method != "Enter" && method != "TryEnter" {
			continue
		}
		inside := text[open+1 : max(open+1, min(closingBracket(code, open), len(text)))]
		expression, _, _ := strings.Cut(inside, ",")
		expression = strings.TrimSpace(expression)
		switch {
		case at >= start && strings.Count(code[start:at], "\n") == 0:
			waits = expression
		case at < start && closingBracket("{"+code[at:], 0)+at > start &&
			!strings.Contains(code[at:start], "Monitor.Exit("+expression):
			held = append(held, expression)
		}
	}
}

// spaceAfter returns the index of the first character at i or later that is no space.
func spaceAfter(code string, i int) int {
	i = min(i, len(code))
	return len(code) - len(strings.TrimLeftFunc(code[i:], unicode.IsSpace))
}

// closingBracket returns the index of the bracket that closes the one at i, len(code) without one.
func closingBracket(code string, i int) int {
	for depth := 0; i < len(code); i++ {
		switch code[i] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(code)
}

// csharpCode replaces comments, texts and characters by spaces. Lines and places stay.
func csharpCode(text string) string {
	code := []byte(text)
	blank := func(from, to int) int {
		for i := from; i < min(to, len(code)); i++ {
			if code[i] != '\n' {
				code[i] = ' '
			}
		}
		return to
	}
	until := func(from int, end string) int {
		if i := strings.Index(text[min(from, len(text)):], end); i >= 0 {
			return from + i + len(end)
		}
		return len(text)
	}
	for i := 0; i < len(text); {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "//"):
			i = blank(i, until(i, "\n"))
		case strings.HasPrefix(rest, "/*"):
			i = blank(i, until(i+2, "*/"))
		case strings.HasPrefix(rest, `"""`):
			i = blank(i, until(i+3, `"""`))
		case rest[0] == '"' || rest[0] == '\'':
			verbatim := i > 0 && text[i-1] == '@'
			end := i + 1
			for end < len(text) && text[end] != rest[0] && (verbatim || text[end] != '\n') {
				if text[end] == '\\' && !verbatim {
					end++
				}
				end++
			}
			i = blank(i, end+1)
		default:
			i++
		}
	}
	return string(code)
}
