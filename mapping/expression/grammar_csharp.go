package expression

import (
	"strings"

	"breakwire/mapping/csharp"
)

// csharpTree rejects what C# reads as more than a look. The grammar before it has seen every character; this is what
// the text means.
func csharpTree(text string) *Rejection {
	tree, err := csharp.Parse(text)
	if err != nil {
		return &Rejection{Category: ParseError, Offending: strings.TrimSpace(text), Advice: err.Error()}
	}
	var bad *Rejection
	csharp.Walk(tree, func(n csharp.Node) bool {
		if bad != nil {
			return false
		}
		category, only := looks(n)
		if category != "" {
			start, end := n.Range()
			bad = &Rejection{Category: category, Offending: text[start:end]}
		}
		return !only
	})
	return bad
}

// looks returns the category of a node that does more than look; "" for others. only is set when its parts are no
// expressions that are evaluated.
func looks(n csharp.Node) (c Category, only bool) {
	switch n := n.(type) {
	case *csharp.Literal:
		if n.Type == "utf8" {
			return ObjectCreation, false
		}
	case *csharp.Name, *csharp.Paren, *csharp.Binary, *csharp.Conditional, *csharp.Cast, *csharp.As, *csharp.Is,
		*csharp.Index, *csharp.Slice, *csharp.Type, *csharp.OfType, *csharp.Checked, *csharp.Constant, *csharp.Not:
	case *csharp.Member:
		if n.Op != "." && n.Op != "?." {
			return Other, false
		}
	case *csharp.Tuple:
		for _, a := range n.Items {
			if a.Mode != "" {
				return Other, false
			}
		}
	case *csharp.TypePattern:
		if n.Name != "" {
			return Other, false
		}
	case *csharp.Unary:
		switch n.Op {
		case "+", "-", "!", "~", "^":
		case "++", "--":
			return Assignment, false
		default:
			return Other, false
		}
	case *csharp.Postfix:
		if n.Op != "!" {
			return Assignment, false
		}
	case *csharp.Call:
		if name, ok := n.Of.(*csharp.Name); ok && name.Name == "nameof" && name.Alias == "" && len(n.Args) == 1 {
			return "", true
		}
		return MethodCall, false
	case *csharp.Assign:
		return Assignment, false
	case *csharp.Lambda, *csharp.Query:
		return Lambda, false
	case *csharp.New, *csharp.NewArray, *csharp.Anonymous, *csharp.With, *csharp.Collection, *csharp.Initializer:
		return ObjectCreation, false
	default:
		return Other, false
	}
	return "", false
}
