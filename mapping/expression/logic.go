package expression

// Logical splits a C# expression at its outermost ??, || or &&, the one with the lowest precedence; of several equal
// ones, at the first. ok is false when there is none or an operand is missing, and in lambdas and conditionals.
func Logical(text string) (op, left, right string, ok bool) {
	rank := map[string]int{"??": 3, "||": 2, "&&": 1}
	tokens := Scan(text)
	best := -1
	for i := range outermost(tokens) {
		switch t := tokens[i]; t.Text {
		case "?", "=>", "=":
			return "", "", "", false
		case "??", "||", "&&":
			if best < 0 || rank[t.Text] > rank[tokens[best].Text] {
				best = i
			}
		}
	}
	if best <= 0 || best == len(tokens)-1 { // none, or an operand is missing
		return "", "", "", false
	}
	t := tokens[best]
	return t.Text, text[:t.Start], text[t.End:], true
}

// Group returns the content of an expression that is one group in brackets, and whether it is negated.
func Group(text string) (inner string, not, ok bool) {
	tokens := Scan(text)
	for len(tokens) > 0 && tokens[0].Text == "!" {
		not, tokens = !not, tokens[1:]
	}
	if len(tokens) < 3 || tokens[0].Text != "(" {
		return "", false, false
	}
	if i := closing(tokens, 0); i > 0 {
		return text[tokens[0].End:tokens[i].Start], not, i == len(tokens)-1 && tokens[i].Text == ")"
	}
	return "", false, false
}
