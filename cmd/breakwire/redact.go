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

// redactor removes secrets from log lines: the values of secret variables in our environment, the environment values
// of a launch, and texts with the form of a token. Unknown forms are not removed; the log has mode 0600 for this
// reason too.
type redactor struct {
	out io.Writer

	mu     sync.Mutex
	secret []string // the newest hidden values, in each form that a line can contain
	known  *strings.Replacer
}

// secretShape is the form of a secret, with its replacement: the prefix stays.
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

// Limits of what a redactor remembers.
const (
	mostSecrets   = 1500
	longestSecret = 16 << 10
)

// newRedactor returns a writer for the log handler, which writes one line at a time. environ has the form of
// os.Environ.
func newRedactor(out io.Writer, environ []string) *redactor {
	r := &redactor{out: out, known: strings.NewReplacer()}
	for _, entry := range environ {
		if name, value, _ := strings.Cut(entry, "="); secretName().MatchString(name) {
			r.hide(value)
		}
	}
	return r
}

// hide hides a value in all later lines. Debuggers print what they were sent in many forms, also over several lines.
func (r *redactor) hide(value string) {
	if len(value) < 6 || len(value) > longestSecret || strings.HasPrefix(value,
		"/") { // a path is not a secret, it only leads to one
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for range 3 { // unchanged, as JSON, as JSON in a quoted text
		if slices.Contains(r.secret, value) {
			break
		}
		r.secret = append(r.secret, value)
		value = strings.Trim(strconv.Quote(value), `"`)
	}
	r.secret = r.secret[max(0, len(r.secret)-mostSecrets):]
	// The longest comes first, because one value may be part of another.
	longest := slices.SortedFunc(slices.Values(r.secret), func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(longest))
	for _, secret := range longest {
		pairs = append(pairs, secret, redacted)
	}
	r.known = strings.NewReplacer(pairs...)
}

// redactAttr removes environments from a value before it is quoted for its line.
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
