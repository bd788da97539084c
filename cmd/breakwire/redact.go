package main

import (
	"io"
	"regexp"
	"strings"
	"sync"
)

const redacted = "<redacted>"

// redactor takes secrets out of log lines, wherever in a line they stand: what our own environment keeps as a secret, what a launch sets in
// the program's, and what has the shape of a token. A shape nobody knows stays: a log is not for strangers all the same, hence its mode.
type redactor struct {
	out   io.Writer
	known *strings.Replacer
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
			{regexp.MustCompile(`(?i)(\benv(?:ironment)?\\*"?\s*[:=]\s*)(?:\{[^}]*\}|map\[[^\]]*\]|\[[^\]]*\])`), "${1}" + redacted},
			{regexp.MustCompile(`(?i)\b(bearer\s+|basic\s+)[\w.~+/=-]{8,}`), "${1}" + redacted},
			{regexp.MustCompile(`(?i)\b([\w-]*(?:token|secret|passw(?:or)?d|pwd|api[-_]?key)\\*"?\s*[:=]\s*\\*"?)[^\s"\\,;&}]{4,}`), "${1}" + redacted},
			{regexp.MustCompile(`(\w://[^/\s:@"]*:)[^/\s@"]+@`), "${1}" + redacted + "@"},
			{regexp.MustCompile(`\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|xox[abprs]-[\w-]{10,}|sk-[\w-]{20,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{35}|npm_\w{36})\b`), redacted},
			{regexp.MustCompile(`\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*`), redacted},
			{regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), redacted},
		}
	})
)

// newRedactor returns a writer of log lines for the log handler, which writes a line at a time. environ is as os.Environ has it.
func newRedactor(out io.Writer, environ []string) *redactor {
	var pairs []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if secretName().MatchString(name) && len(value) >= 6 && !strings.HasPrefix(value, "/") { // a path is where a secret is, not one
			pairs = append(pairs, value, redacted)
		}
	}
	return &redactor{out, strings.NewReplacer(pairs...)}
}

// Write implements io.Writer.
func (r *redactor) Write(line []byte) (int, error) {
	text := r.known.Replace(string(line))
	for _, s := range secretShapes() {
		text = s.shape.ReplaceAllString(text, s.with)
	}
	if _, err := io.WriteString(r.out, text); err != nil {
		return 0, err
	}
	return len(line), nil
}
