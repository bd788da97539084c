package expression

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// ForNetcoredbg writes an expression of C# so that netcoredbg 3.1.2 means by it what C# does, and does not end of it.
func ForNetcoredbg(text string) string { return nullTexts(nullableDefaults(plane0(text))) }

// nullableDefaults writes GetValueOrDefault() as a member that netcoredbg refuses: of a nullable that a getter has returned it reads the wrong bytes.
func nullableDefaults(text string) string {
	return strings.ReplaceAll(text, ".GetValueOrDefault()", ".Value")
}

// plane0 replaces what no C# has outside of its strings, the characters beyond U+FFFF, by one that has the same error: netcoredbg 3.1.2 ends when
// it has to tell of half a pair.
func plane0(text string) string {
	beyond := func(r rune) bool { return r > 0xffff }
	if strings.IndexFunc(text, beyond) < 0 {
		return text
	}
	var out strings.Builder
	at := 0
	for _, t := range Scan(CSharp, text) {
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

// nullTexts keeps null apart from "" in comparisons: the operators of netcoredbg take both for the same. What is compared gets another value for null.
func nullTexts(text string) string {
	if !strings.Contains(text, `""`) || len(text) > maxCut {
		return text
	}
	tokens, chains := Scan(CSharp, text), Chains(text)
	at := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return tokens[i].Text
	}
	alone := func(before, behind int) bool { // no operator that binds more takes a part of the comparison
		return slices.Contains([]string{"", "(", "[", "?[", ",", "&&", "||", "??", "?", ":", "=>"}, at(before)) &&
			slices.Contains([]string{"", ")", "]", ",", "&&", "||", "??", "?", ":"}, at(behind))
	}
	insert := map[int]string{}
	for i, t := range tokens {
		if t.Kind != String || t.Text != `""` {
			continue
		}
		for _, c := range chains {
			first := slices.IndexFunc(tokens, func(t Token) bool { return t.Start == c.Start })
			last := slices.IndexFunc(tokens, func(t Token) bool { return t.End == c.End })
			left := last == i-2 && isEquality(at(i-1)) && alone(first-1, i+1)
			right := first == i+2 && isEquality(at(i+1)) && alone(i-1, last+1)
			if left || right {
				insert[c.Start] += "("
				insert[c.End] = ` ?? "-")` + insert[c.End]
			}
		}
	}
	var out strings.Builder
	for i := range len(text) + 1 {
		out.WriteString(insert[i])
		if i < len(text) {
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

func isEquality(op string) bool { return op == "==" || op == "!=" }
