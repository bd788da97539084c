package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"breakwire/dapclient/transcript"
)

const redacted = "<redacted>"

// redactor takes secrets out of log lines, wherever in a line they stand: what our own environment keeps as a secret,
// what a launch sets in the program's, and what has the shape of a token. A shape nobody knows stays: a log is not for
// strangers all the same, hence its mode.
type redactor struct {
	out io.Writer

	mu     sync.Mutex
	secret []string // the newest values that were hidden, in each form that a line can have them
	known  *strings.Replacer
}

// secretShape is what a secret looks like, and what is written instead: with the part that stays in front.
type secretShape struct {
	shape *regexp.Regexp
	with  string
}

var (
	secretName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)token|secret|passw|pwd|api_?key|credential|private|_auth|auth_`)
	})

	secretShapes = sync.OnceValue(func() []secretShape {
		return []secretShape{
			{regexp.MustCompile(`(?i)(\b\w*env(?:iron(?:ment)?)?(?:_?var(?:iable)?s)?\\*"?\s*[:=]\s*)(?:\{[^}]*\}|` +
				`map\[[^\]]*\]|\[[^\]]*\])`), "${1}" + redacted},
			{regexp.MustCompile(`(?i)\b(bearer\s+|basic\s+)[\w.~+/=-]{8,}`), "${1}" + redacted},
			{regexp.MustCompile(`(?i)\b([\w-]*(?:token|secret|passw(?:or)?d|pwd|` +
				`api[-_]?key)\\*"?\s*[:=]\s*\\*"?)[^\s"\\,;&}]{4,}`), "${1}" + redacted},
			{regexp.MustCompile(`(\w://[^/\s:@"]*:)[^/\s@"]+@`), "${1}" + redacted + "@"},
			{regexp.MustCompile(`\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|xox[abprs]-[\w-]{10,}|` +
				`sk-[\w-]{20,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{35}|npm_\w{36})\b`), redacted},
			{regexp.MustCompile(`\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*`), redacted},
			{regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), redacted},
		}
	})
)

// Bounds of what a redactor remembers.
const (
	mostSecrets   = 1500
	longestSecret = 16 << 10
)

// newRedactor returns a writer of log lines for the log handler, which writes a line at a time. environ is as
// os.Environ has it.
func newRedactor(out io.Writer, environ []string) *redactor {
	r := &redactor{out: out, known: strings.NewReplacer()}
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); secretName().MatchString(name) {
			r.hide(value)
		}
	}
	return r
}

// hide keeps a value out of all lines from now on. Debuggers write what they were sent in forms that nobody knows,
// over several lines.
func (r *redactor) hide(value string) {
	if len(value) < 6 || len(value) > longestSecret || strings.HasPrefix(value,
		"/") { // a path is where a secret is, not one
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for range 3 { // as it is, in JSON, in JSON that is quoted in a line
		if slices.Contains(r.secret, value) {
			break
		}
		r.secret = append(r.secret, value)
		value = strings.Trim(strconv.Quote(value), `"`)
	}
	r.secret = r.secret[max(0, len(r.secret)-mostSecrets):]
	// The longest comes first: one value may be a part of another.
	longest := slices.SortedFunc(slices.Values(r.secret), func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(longest))
	for _, secret := range longest {
		pairs = append(pairs, secret, redacted)
	}
	r.known = strings.NewReplacer(pairs...)
}

// redactAttr takes environments out of a value before it is quoted for its line.
func redactAttr(_ []string, a slog.Attr) slog.Attr {
	var text string
	switch v := a.Value.Any().(type) {
	case string:
		text = v
	case error:
		text = v.Error()
	case json.RawMessage:
		text = string(v)
	default:
		return a
	}
	if now := transcript.Redact([]byte(text)); string(now) != text {
		a.Value = slog.StringValue(string(now))
	}
	return a
}

// Write implements io.Writer.
func (r *redactor) Write(line []byte) (int, error) {
	r.mu.Lock()
	known := r.known
	r.mu.Unlock()
	text := known.Replace(string(line))
	for _, s := range secretShapes() {
		text = s.shape.ReplaceAllString(text, s.with)
	}
	if _, err := io.WriteString(r.out, text); err != nil {
		return 0, err
	}
	return len(line), nil
}
