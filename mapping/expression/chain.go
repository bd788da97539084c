package expression

import (
	"iter"
	"slices"
	"strings"
	"sync"
)

// Part is one link of a chain: its name or bracket. Start is the byte offset where the link begins, with its dot.
type Part struct {
	Kind       PartKind
	Name       string // of a member
	Start, End int
	Null       bool // ?. or ?[
}

// PartKind is the kind of a link.
type PartKind uint8

// Kinds of links.
const (
	Root PartKind = iota
	Member
	Index
	Call
)

// Chain is a name with its members, indexes and calls: list[0].Name.Trim().
type Chain struct {
	Start, End int
	Parts      []Part
}

// Prefix returns the text of the first n parts.
func (c Chain) Prefix(text string, n int) string { return text[c.Start:c.Parts[n-1].End] }

// OneChain returns the chain of an expression that is one chain and nothing else.
func OneChain(text string) (Chain, bool) {
	if chains := Chains(text); len(chains) > 0 { // an outer chain comes after its inner ones
		c := chains[len(chains)-1]
		return c, c.Start == 0 && c.End == len(text)
	}
	return Chain{}, false
}

// Chains returns the chains of a C# expression; a chain inside brackets comes before the one around them. Each begins
// with a name, a string or a group; none begins with a keyword.
func Chains(text string) []Chain {
	s := chainScan{text: text, tokens: Scan(text)}
	for s.at < len(s.tokens) {
		s.one()
	}
	return s.found
}

type chainScan struct {
	text   string
	tokens []Token
	at     int
	found  []Chain
}

var notNames = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"new": true, "is": true, "as": true, "typeof": true, "true": true, "false": true, "null": true, "default": true,
		"sizeof": true, "nameof": true,
	}
})

func (s *chainScan) one() {
	t := s.tokens[s.at]
	switch {
	case t.Kind == Ident && !notNames()[t.Text], t.Kind == String && t.Text[0] != '\'':
		s.at++
		s.chain(Chain{Start: t.Start, Parts: []Part{{Kind: Root, Name: t.Text, Start: t.Start, End: t.End}}})
	case t.Text == "(":
		end := s.bracket(")")
		s.chain(Chain{Start: t.Start, Parts: []Part{{Kind: Root, Start: t.Start, End: end}}})
	default:
		s.at++
	}
}

// bracket reads up to the closing bracket and adds the chains inside. It returns where that bracket ends.
func (s *chainScan) bracket(closing string) int {
	s.at++
	for s.at < len(s.tokens) {
		if t := s.tokens[s.at]; t.Kind == Op && (t.Text == ")" || t.Text == "]") {
			s.at++
			return t.End
		}
		s.one()
	}
	return len(s.text)
}

func (s *chainScan) chain(c Chain) {
	for s.at < len(s.tokens) {
		if rest := s.tokens[s.at:]; rest[0].Text == "<" && typeArguments(rest) { // of a method, or of a type with members
			s.at += typeList(rest)
			c.Parts[len(c.Parts)-1].End = s.tokens[s.at-1].End
			continue
		}
		t := s.tokens[s.at]
		if t.Kind != Op {
			break
		}
		p := Part{Start: t.Start}
		switch t.Text {
		case ".", "?.":
			if s.at+1 >= len(s.tokens) || s.tokens[s.at+1].Kind != Ident {
				s.at++
				s.end(c)
				return
			}
			name := s.tokens[s.at+1]
			p.Kind, p.Name, p.End, p.Null = Member, name.Text, name.End, t.Text == "?."
			s.at += 2
		case "[", "?[":
			p.Kind, p.Null = Index, t.Text == "?["
			p.End = s.bracket("]")
		case "(":
			p.Kind = Call
			p.End = s.bracket(")")
		default:
			s.end(c)
			return
		}
		c.Parts = append(c.Parts, p)
	}
	s.end(c)
}

func (s *chainScan) end(c Chain) {
	if len(c.Parts) == 1 && c.Parts[0].Name == "" {
		return // a group alone is not a chain
	}
	c.End = c.Parts[len(c.Parts)-1].End
	s.found = append(s.found, c)
}

// Conditional splits `condition ? yes : no` at the outermost level.
func Conditional(text string) (condition, yes, no string, ok bool) {
	tokens := Scan(text)
	question, open := -1, 0
	for i := range outermost(tokens) {
		switch t := tokens[i]; {
		case t.Text == "?" && question < 0:
			question = i
		case t.Text == "?":
			open++
		case t.Text == ":" && open > 0:
			open--
		case t.Text == ":" && question >= 0:
			return text[:tokens[question].Start], text[tokens[question].End:t.Start], text[t.End:], true
		}
	}
	return "", "", "", false
}

// outermost iterates over the tokens outside of all brackets, and over the closing brackets of the outermost level.
func outermost(tokens []Token) iter.Seq[int] {
	return func(yield func(int) bool) {
		depth := 0
		for i, t := range tokens {
			switch t.Text {
			case "(", "[", "{", "?[":
				depth++
			case ")", "]", "}":
				depth--
			}
			if depth == 0 && !yield(i) {
				return
			}
		}
	}
}

// NameOf finds a nameof in a C# expression and the name that it returns: Items for nameof(order.Items), List for
// nameof(List<int>).
func NameOf(text string) (start, end int, name string, ok bool) {
	tokens := Scan(text)
	from := slices.IndexFunc(tokens, func(t Token) bool { return t.Kind == Ident && t.Text == "nameof" })
	if from < 0 || from+1 == len(tokens) || tokens[from+1].Text != "(" {
		return 0, 0, "", false
	}
	for i := from + 2; i < len(tokens); i++ {
		switch t := tokens[i]; {
		case t.Kind == Ident:
			name = strings.TrimPrefix(t.Text, "@")
		case t.Text == ")":
			return tokens[from].Start, t.End, name, name != ""
		case t.Text == "<":
			i += max(typeList(tokens[i:]), 1) - 1
		case t.Text != "." && t.Text != "::":
			return 0, 0, "", false
		}
	}
	return 0, 0, "", false
}
