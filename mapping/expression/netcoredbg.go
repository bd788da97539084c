package expression

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// ForNetcoredbg writes an expression of C# so that netcoredbg 3.1.2 means by it what C# does, and does not end of it.
func ForNetcoredbg(text string) string { return nullTexts(nullableDefaults(plane0(text))) }

// valueOrDefault is the call whose arguments nullableDefaults takes away. With a space before them it is sent as it
// stands.
const valueOrDefault = ".GetValueOrDefault("

// nullableDefaults writes GetValueOrDefault(x) without brackets, which netcoredbg refuses: of a nullable that a getter
// has returned it reads the wrong bytes.
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
		if end < 0 { // nor do others end
			break
		}
		out.WriteString(text[at:tokens[i].Start])
		i, at = end, tokens[end].End
	}
	return out.String() + text[at:]
}

// plane0 replaces what no C# has outside of its strings, the characters beyond U+FFFF, by one that has the same error:
// netcoredbg 3.1.2 ends when it has to tell of half a pair.
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

// nullTexts keeps null apart from "" in comparisons: the operators of netcoredbg take both for the same. What is
// compared gets another value for null.
func nullTexts(text string) string {
	if !strings.Contains(text, `""`) || len(text) > maxCut {
		return text
	}
	tokens := Scan(text)
	starting, ending := map[int]int{}, map[int]int{} // tokens by offset
	for i, t := range tokens {
		starting[t.Start], ending[t.End] = i, i
	}
	begins, ends := map[int]Chain{}, map[int]Chain{} // chains by their first and last token; no two share one
	for _, c := range Chains(text) {
		begins[starting[c.Start]], ends[ending[c.End]] = c, c
	}
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
