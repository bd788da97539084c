package program

import (
	"os"
	"strings"
)

// nodeTest is a test or a suite in a source file.
type nodeTest struct {
	names []string // those of the suites around it, and its own
	suite bool
	inner bool // a subtest: it is inside the body of a test
	file  string
	line  int  // the first line of its body; of a suite, 0
	skips bool // its runner passes over it: it.skip, xit
}

func (t nodeTest) full() string { return strings.Join(t.names, " ") }

func (t nodeTest) own() string { return t.names[len(t.names)-1] }

// Calls that make tests and suites, in node:test, jest, vitest and mocha.
const (
	testCalls  = " test it specify fit xit xtest "
	suiteCalls = " describe suite context fdescribe xdescribe "
)

// nodeTests returns the tests and suites of a file, by a scan of its tokens.
func nodeTests(file string) []nodeTest {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	s := &nodeScan{text: string(text), file: file}
	s.scan()
	return s.tests
}

// nodeScan reads the tokens of a file as far as it needs: it knows strings, comments, regular expressions and brackets.
type nodeScan struct {
	text, file string
	at         int
	depth      int
	open       []openCall
	tests      []nodeTest
	last       string // the last word or sign, for regular expressions and calls
	chain      string // the first word of a chain of words and dots: test of test.only
}

// openCall is the call of a test or suite whose brackets are open.
type openCall struct {
	depth int
	name  string
	suite bool
	skips bool
}

func (s *nodeScan) scan() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case s.skipBlank():
		case c == '\'' || c == '"' || c == '`':
			s.literal()
			s.last, s.chain = "text", ""
		case c == '/' && s.regexpHere():
			s.regexp()
			s.last, s.chain = "text", ""
		case isWordByte(c):
			s.word()
		case c == '(':
			s.bracket()
		default:
			s.sign(c)
		}
	}
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// skipBlank skips a blank or a comment.
func (s *nodeScan) skipBlank() bool {
	rest := s.text[s.at:]
	end := 0
	switch {
	case strings.ContainsRune(" \t\r\n", rune(rest[0])):
		end = 1
	case strings.HasPrefix(rest, "//"):
		if end = strings.IndexByte(rest, '\n'); end < 0 {
			end = len(rest)
		}
	case strings.HasPrefix(rest, "/*"):
		if end = strings.Index(rest[2:], "*/"); end < 0 {
			end = len(rest)
		} else {
			end += 4
		}
	default:
		return false
	}
	s.at += end
	return true
}

// literal skips a string or a template and returns its text.
func (s *nodeScan) literal() string {
	quote := s.text[s.at]
	begin := s.at + 1
	var out strings.Builder
	for s.at++; s.at < len(s.text) && s.text[s.at] != quote; s.at++ {
		c := s.text[s.at]
		switch {
		case c == '\\' && s.at+1 < len(s.text):
			s.at++
			if c = s.text[s.at]; c == 'n' {
				c = '\n'
			}
		case c == '\n' && quote != '`':
			s.at = begin // no string: a quote in something that is not understood
			return ""
		case quote == '`' && strings.HasPrefix(s.text[s.at:], "${"):
			s.substitution(&out)
			continue
		}
		out.WriteByte(c)
	}
	s.at++
	return out.String()
}

// substitution skips ${...} of a template.
func (s *nodeScan) substitution(out *strings.Builder) {
	out.WriteString("${}")
	depth := 0
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return
			}
		case '`':
			s.literal()
			s.at--
		}
	}
}

// regexpHere reports whether a slash begins a regular expression: it does not after a value.
func (s *nodeScan) regexpHere() bool {
	switch s.last {
	case "return", "typeof", "case", "in", "of", "", "await", "yield", "=>":
		return true
	case ")", "]", "}", "text":
		return false
	}
	return !isWordByte(s.last[0])
}

func (s *nodeScan) regexp() {
	class := false
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '\\':
			s.at++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '\n', c == '/' && !class:
			s.at++
			return
		}
	}
}

func (s *nodeScan) word() {
	begin := s.at
	for s.at < len(s.text) && isWordByte(s.text[s.at]) {
		s.at++
	}
	word := s.text[begin:s.at]
	if s.last != "." || s.chain == "" || strings.Contains(testCalls+suiteCalls, " "+word+" ") {
		s.chain = word // t.test is a test, test.only is one of test
	}
	s.last = word
}

func (s *nodeScan) sign(c byte) {
	s.at++
	switch c {
	case '{', '[':
		s.depth++
	case ')', '}', ']':
		s.depth--
		for n := len(s.open); n > 0 && s.depth < s.open[n-1].depth; n-- {
			s.open = s.open[:n-1]
		}
	}
	if c == '>' && s.last == "=" {
		s.last = "=>"
		return
	}
	if s.last = string(c); c != '.' {
		s.chain = ""
	}
}

// bracket handles an opening bracket: it may be the call of a test.
func (s *nodeScan) bracket() {
	chain, each, skips := s.chain, s.last == "each", s.last == "skip" || strings.HasPrefix(s.chain, "x")
	s.at++
	s.depth++
	s.last, s.chain = "(", ""
	kind := " " + chain + " "
	suite := strings.Contains(suiteCalls, kind)
	if chain == "" || !suite && !strings.Contains(testCalls, kind) {
		return
	}
	if each { // the table; the call follows
		inner := s.depth
		for s.at < len(s.text) && s.depth >= inner {
			s.step()
		}
		for s.at < len(s.text) && s.skipBlank() {
		}
		if s.at >= len(s.text) || s.text[s.at] != '(' {
			return
		}
		s.at++
		s.depth++
	}
	for s.at < len(s.text) && s.skipBlank() {
	}
	if s.at >= len(s.text) || !strings.ContainsRune("'\"`", rune(s.text[s.at])) {
		return
	}
	name := s.literal()
	s.last = "text"
	for s.at < len(s.text) && s.skipBlank() {
	}
	if s.at >= len(s.text) || s.text[s.at] != ',' {
		return // re.test('text')
	}
	t := nodeTest{suite: suite, file: s.file, skips: skips}
	for _, o := range s.open {
		t.names = append(t.names, o.name)
		t.inner, t.skips = t.inner || !o.suite, t.skips || o.skips
	}
	t.names = append(t.names, name)
	t.line = s.bodyLine()
	s.tests = append(s.tests, t)
	s.open = append(s.open, openCall{s.depth, name, suite, t.skips})
}

// step reads one token without looking for tests.
func (s *nodeScan) step() {
	switch c := s.text[s.at]; {
	case s.skipBlank():
	case c == '\'' || c == '"' || c == '`':
		s.literal()
	case c == '(':
		s.at++
		s.depth++
	default:
		s.sign(c)
	}
}

// bodyLine returns the line of the first statement of the function that is the last argument of a test. It only looks
// ahead.
func (s *nodeScan) bodyLine() int {
	ahead := *s
	ahead.tests, ahead.open = nil, nil
	inner := ahead.depth
	for ahead.at < len(ahead.text) && ahead.depth >= inner {
		before := ahead.last
		if isWordByte(ahead.text[ahead.at]) {
			ahead.word()
			continue
		}
		if before == "=>" && ahead.text[ahead.at] != '{' && !strings.ContainsRune(" \t\r\n/", rune(ahead.text[ahead.at])) {
			break // an expression
		}
		body := ahead.text[ahead.at] == '{' && (before == "=>" || before == ")")
		ahead.step()
		if body {
			for ahead.at < len(ahead.text) && ahead.skipBlank() {
			}
			break
		}
	}
	return 1 + strings.Count(s.text[:min(ahead.at, len(s.text))], "\n")
}
