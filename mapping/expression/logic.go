package expression

// Logical cuts a C# expression at its outermost ??, ||, or &&, the one that binds least; of several equal ones at the
// first. ok is false when there is none or a side of it is missing, and in lambdas and conditionals.
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
	if best <= 0 || best == len(tokens)-1 { // none, or a side is missing
		return "", "", "", false
	}
	t := tokens[best]
	return t.Text, text[:t.Start], text[t.End:], true
}

// Group is what stands in the brackets of an expression that is nothing but a group, and whether it is negated.
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
