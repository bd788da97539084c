package expression

import (
	"slices"
	"strings"
	"unicode/utf8"
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

// nullTexts makes comparisons distinguish null from "", because netcoredbg's operators treat both as equal. The
// compared operand gets another value for null.
func nullTexts(text string) string {
	if !strings.Contains(text, `""`) || len(text) > maxCut {
		return text
	}
	tokens := Scan(text)
	starting, ending := map[int]int{}, map[int]int{} // token index by offset
	for i, t := range tokens {
		starting[t.Start], ending[t.End] = i, i
	}
	begins, ends := map[int]Chain{}, map[int]Chain{} // chains by their first and last token, which no two chains share
	for _, c := range Chains(text) {
		begins[starting[c.Start]], ends[ending[c.End]] = c, c
	}
	at := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return tokens[i].Text
	}
	alone := func(before, behind int) bool { // no operator with higher precedence takes a part of the comparison
		return slices.Contains([]string{"", "(", "[", "?[", ",", "&&", "||", "??", "?", ":", "=>"}, at(before)) &&
			slices.Contains([]string{"", ")", "]", ",", "&&", "||", "??", "?", ":"}, at(behind))
	}
	insert := map[int]string{}
	wrap := func(first, last int) {
		insert[tokens[first].Start] += "("
		insert[tokens[last].End] = ` ?? "-")` + insert[tokens[last].End]
	}
	for i, t := range tokens {
		if t.Kind != String || strings.TrimPrefix(t.Text, "@") != `""` {
			continue
		}
		if isEquality(at(i - 1)) {
			first := -1
			if c, ok := ends[i-2]; ok {
				first = starting[c.Start]
			} else if at(i-2) == ")" {
				first = opening(tokens[:i-1])
			}
			if first >= 0 && alone(first-1, i+1) {
				wrap(first, i-2)
			}
		}
		if isEquality(at(i + 1)) {
			last := -1
			if c, ok := begins[i+2]; ok {
				last = ending[c.End]
			} else if at(i+2) == "(" {
				last = closing(tokens, i+2)
			}
			if last >= 0 && alone(i-1, last+1) {
				wrap(i+2, last)
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
