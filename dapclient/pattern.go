package dapclient

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled when it is first used: a run uses those of one profile only.
type Pattern struct {
	Text     string // must be valid
	once     sync.Once
	compiled *regexp.Regexp
}

// NewPattern checks the text of a pattern.
func NewPattern(text string) (*Pattern, error) {
	if _, err := regexp.Compile(text); err != nil {
		return nil, err
	}
	return &Pattern{Text: text}, nil
}

// Regexp is the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.Text) })
	return p.compiled
}

// MatchString reports whether some part of s matches.
func (p *Pattern) MatchString(s string) bool { return p.Regexp().MatchString(s) }
