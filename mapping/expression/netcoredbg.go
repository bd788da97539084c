package expression

import (
	"strings"
	"unicode/utf8"

	"breakwire/mapping/csharp"
)

// ForNetcoredbg rewrites a C# expression so that netcoredbg 3.1.2 evaluates it as C# does and does not terminate.
func ForNetcoredbg(text string) string { return nullTexts(nullableDefaults(plane0(text))) }

// valueOrDefault is the call whose arguments nullableDefaults removes. With a space before the brackets it is sent
// unchanged.
const valueOrDefault = ".GetValueOrDefault("

// nullableDefaults writes GetValueOrDefault(x) without brackets. netcoredbg refuses them, because it reads the wrong
// bytes of a nullable that a getter has returned.
func nullableDefaults(text string) string {
	if !strings.Contains(text, valueOrDefault) {
		return text
	}
	var out strings.Builder
	at, tokens := 0, Scan(text)
	for i := 2; i < len(tokens); i++ {
		if t := tokens[i-2]; t.Kind != Op || strings.TrimPrefix(text[t.Start:tokens[i].End], "?") != valueOrDefault {
			continue
		}
		end := closing(tokens, i)
		if end < 0 { // no later one ends either
			break
		}
		out.WriteString(text[at:tokens[i].Start])
		i, at = end, tokens[end].End
	}
	return out.String() + text[at:]
}

// plane0 replaces characters beyond U+FFFF outside of strings, which C# does not allow, by one with the same error:
// netcoredbg 3.1.2 terminates when it reports half a surrogate pair.
func plane0(text string) string {
	beyond := func(r rune) bool { return r > 0xffff }
	if strings.IndexFunc(text, beyond) < 0 {
		return text
	}
	var out strings.Builder
	at := 0
	for _, t := range Scan(text) {
		out.WriteString(text[at:t.Start])
		part := text[t.Start:t.End]
		if t.Kind != String {
			part = strings.Map(func(r rune) rune {
				if beyond(r) {
					return utf8.RuneError
				}
				return r
			}, part)
		}
		out.WriteString(part)
		at = t.End
	}
	return out.String() + text[at:]
}

// maxCut limits the length of an expression whose comparisons are rewritten.
const maxCut = 1 << 10

// nullTexts makes comparisons distinguish null from "", because netcoredbg's operators treat both as equal. The
// compared operand gets another value for null.
func nullTexts(text string) string {
	if !strings.Contains(text, `""`) || len(text) > maxCut {
		return text
	}
	tree, err := csharp.Parse(text)
	if err != nil {
		return text
	}
	insert := map[int]string{}
	csharp.Walk(tree, func(n csharp.Node) bool {
		b, ok := n.(*csharp.Binary)
		if ok && (b.Op == "==" || b.Op == "!=") {
			for _, side := range [][2]csharp.Node{{b.L, b.R}, {b.R, b.L}} {
				if isEmptyText(side[0]) && mayBeText(side[1]) {
					start, end := side[1].Range()
					insert[start] += "("
					insert[end] = ` ?? "-")` + insert[end]
				}
			}
		}
		_, holes := n.(*csharp.Interpolated)
		return !holes
	})
	var out strings.Builder
	for i := range len(text) + 1 {
		out.WriteString(insert[i])
		if i < len(text) {
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

func isEmptyText(n csharp.Node) bool {
	l, ok := n.(*csharp.Literal)
	return ok && (l.Source == `""` || l.Source == `@""`)
}

// mayBeText reports whether an operand is a name with its members, indexes and calls, or in brackets.
func mayBeText(n csharp.Node) bool {
	switch n.(type) {
	case *csharp.Name, *csharp.Member, *csharp.Index, *csharp.Call, *csharp.Paren:
		return true
	}
	return false
}

// closing returns the index of the bracket that closes the one at an index, -1 when there is none.
func closing(tokens []Token, at int) int {
	depth := 0
	for i, t := range tokens[at:] {
		switch t.Text {
		case "(", "[", "{", "?[":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth == 0 {
			return at + i
		}
	}
	return -1
}
