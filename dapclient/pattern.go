package dapclient

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled on first use: a run uses the patterns of one profile only.
type Pattern struct {
	Text     string // must be valid
	once     sync.Once
	compiled *regexp.Regexp
}

// NewPattern returns a Pattern, or an error when text is not a valid regular expression.
func NewPattern(text string) (*Pattern, error) {
	if _, err := regexp.Compile(text); err != nil {
		return nil, err
	}
	return &Pattern{Text: text}, nil
}

// Regexp returns the compiled expression. It panics when Text is invalid.
func (p *Pattern) Regexp() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.Text) })
	return p.compiled
}

// MatchString reports whether some part of s matches.
func (p *Pattern) MatchString(s string) bool { return p.Regexp().MatchString(s) }

// Find returns the text of the first group of the first match, "" without a match or a Pattern.
func (p *Pattern) Find(s string) string {
	if p == nil {
		return ""
	}
	if m := p.Regexp().FindStringSubmatch(s); len(m) > 1 {
		return m[1]
	}
	return ""
}
