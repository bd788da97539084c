package interpreter

import (
	"math/big"
	"slices"
	"strings"

	"breakwire/mapping"
	"breakwire/mapping/csharp"
)

// explain says why an expression has no value: a part of it is null, or has no such member, or a name does not exist.
// It asks only for parts whose answer is known, or that call nothing. It returns nil when it finds nothing.
func (r *run) explain(tree csharp.Node) error {
	chains := chainsOf(tree)
	for _, links := range chains {
		for n := len(links) - 1; n >= 1; n-- {
			if _, called := links[n].(*csharp.Call); called && n > 1 {
				n-- // a method has no value
			}
			of, ok := r.peek(links[n-1])
			if !ok {
				continue
			}
			if !of.isNull() {
				if err := r.unknownMember(of, links[n:]); err != nil {
					return err
				}
				break
			}
			if r.cutShort(links[:n+1]) {
				break
			}
			return &Thrown{Type: nullReference, Null: csharp.Bare(links[n-1]), Of: of.Type,
				Member: memberText(links[n-1], links[n])}
		}
	}
	for _, links := range chains {
		if err := r.unknownName(links); err != nil {
			return err
		}
	}
	return nil
}

const nullReference = "System.NullReferenceException"

// memberText is a link with what is before it, without a ?.
func memberText(of, link csharp.Node) string {
	text := csharp.Bare(link)
	return csharp.Bare(of) + strings.TrimPrefix(strings.TrimPrefix(text, csharp.Bare(of)), "?")
}

// chainsOf returns the links of each name with its members, indexes and calls; those inside of brackets come first.
// Lambdas and what patterns declare are left out.
func chainsOf(tree csharp.Node) (out [][]csharp.Node) {
	declared := map[string]bool{}
	csharp.Walk(tree, func(n csharp.Node) bool {
		switch n := n.(type) {
		case *csharp.Lambda, *csharp.Query:
			return false
		case *csharp.VarPattern:
			declared[n.Name] = true
		case *csharp.TypePattern:
			declared[n.Name] = true
		case *csharp.Properties:
			declared[n.Name] = true
		}
		return true
	})
	var visit func(n csharp.Node) bool
	visit = func(n csharp.Node) bool {
		switch n := n.(type) {
		case *csharp.Lambda, *csharp.Query, *csharp.Type:
			return false
		case *csharp.Call:
			if name, ok := n.Of.(*csharp.Name); ok && name.Name == "nameof" {
				return false
			}
		}
		links := linksOf(n)
		if links == nil {
			return true
		}
		for _, link := range links {
			for _, a := range argumentsOf(link) {
				csharp.Walk(a.Value, visit)
			}
		}
		name, ok := links[0].(*csharp.Name)
		if !ok {
			csharp.Walk(links[0], visit)
		}
		if !ok && len(links) > 1 || ok && !declared[name.Name] {
			out = append(out, links)
		}
		return false
	}
	csharp.Walk(tree, visit)
	return out
}

// linksOf returns the parts of a chain from its root to its end; nil for other expressions.
func linksOf(n csharp.Node) (links []csharp.Node) {
	for {
		links = append(links, n)
		switch x := n.(type) {
		case *csharp.Member:
			n = x.Of
		case *csharp.Index:
			n = x.Of
		case *csharp.Call:
			n = x.Of
		case *csharp.Name:
			slices.Reverse(links)
			return links
		default:
			if len(links) == 1 {
				return nil
			}
			slices.Reverse(links)
			return links
		}
	}
}

func argumentsOf(n csharp.Node) []csharp.Argument {
	switch n := n.(type) {
	case *csharp.Index:
		return n.Args
	case *csharp.Call:
		return n.Args
	}
	return nil
}

// peek returns the value of a part that is known already, or that calls nothing.
func (r *run) peek(n csharp.Node) (v Value, ok bool) {
	text := csharp.Bare(n)
	if v, ok := r.places[text]; ok {
		return v, v.Type != failedType
	}
	calls := false
	csharp.Walk(n, func(n csharp.Node) bool {
		switch n.(type) {
		case *csharp.Call, *csharp.New, *csharp.NewArray, *csharp.With, *csharp.Assign, *csharp.Postfix:
			calls = true
		}
		return !calls
	})
	if calls {
		return Value{}, false
	}
	if name, ok := n.(*csharp.Name); ok && !name.Is("base") && name.Args == nil {
		return r.ask(text)
	}
	if linksOf(n) != nil {
		if text, ok := r.sendable(n); ok {
			return r.ask(text)
		}
	}
	r.attempt(func() { v, ok = r.known(r.eval(n)), true })
	return v, ok
}

// cutShort reports whether a ?. or ?[ in a chain makes the whole chain null.
func (r *run) cutShort(links []csharp.Node) bool {
	for i, n := range links {
		null := false
		switch n := n.(type) {
		case *csharp.Member:
			null = n.Op == "?."
		case *csharp.Index:
			null = n.Null
		}
		if null {
			if of, ok := r.peek(links[i-1]); ok && of.isNull() {
				return true
			}
		}
	}
	return false
}

// unknownMember explains what is wrong with the link after a part that has a value; nil when nothing is known.
func (r *run) unknownMember(of Value, links []csharp.Node) error {
	called := len(links) > 1 && argumentsOf(links[1]) != nil
	if len(links) > 1 {
		_, called = links[1].(*csharp.Call)
	}
	switch n := links[0].(type) {
	case *csharp.Index:
		lengths := mapping.ArrayLengths(of.Shown)
		for i, a := range n.Args {
			at, ok := r.peek(a.Value)
			n, is := at.Data.(*big.Int)
			if ok && is && i < len(lengths) && (n.Sign() < 0 || n.Cmp(big.NewInt(int64(lengths[i]))) >= 0) {
				return outside(n, of)
			}
		}
	case *csharp.Member:
		part := csharp.Bare(n.Of)
		if called {
			return &Refusal{Type: of.Type, Why: part + "." + n.Name + " cannot be called like that; check its name, and " +
				"that its arguments are of the very types of its parameters, and not of a base type (netcoredbg finds no " +
				"extension, generic or optional ones; collection_analyze sums a collection up)"}
		}
		e := &Refusal{Type: of.Type, Why: part + " (" + of.Type + ") has no member " + n.Name + " that netcoredbg can read"}
		if strings.HasPrefix(of.Type, valueTuple) {
			if _, ok := item(r.withNames(n.Of, of), n.Name); ok {
				return nil
			}
			e.Why += "; the symbols have no such name for this tuple: write Item1, Item2, ... in their order"
			return e
		}
		if names := r.program.MemberNames(part, of.answer()); len(names) > 0 {
			if slices.Contains(names, n.Name) {
				return nil // this part can be read
			}
			e.Why += "; there are " + mapping.Clip(strings.Join(names, ", "), 300)
			if near := mapping.Nearest(n.Name, names); near != "" {
				e.Why += "; did you mean " + near + "?"
			}
		}
		return e
	}
	return nil
}

// unknownName explains a name that does not exist; nil when it does.
func (r *run) unknownName(links []csharp.Node) error {
	root, ok := links[0].(*csharp.Name)
	if !ok || root.Is("base") {
		return nil
	}
	if len(links) > 1 && !root.Is("this") {
		if _, index := links[1].(*csharp.Index); !index {
			if r.program.Variable(root.Name) {
				return nil
			}
			if _, ok := r.peek(links[len(links)-1]); ok {
				return nil
			}
			if root.Name == "System" {
				return &Refusal{Why: "netcoredbg cannot evaluate " + csharp.Bare(links[len(links)-1]) + "; check its name and " +
					"arguments (its evaluator has no generic, extension or params methods)"}
			}
			if err := r.unknownStatic(links); err != nil {
				return err
			}
			return &Refusal{Why: "netcoredbg does not know " + root.Name + "; it is no variable of this frame, and types need " +
				"their full name with the namespace, as in System.Math.Max(1, 2)"}
		}
	}
	if _, ok := r.peek(root); ok || root.Keyword && fullNames()[root.Name] != "" {
		return nil
	}
	if root.Is("this") {
		return &Refusal{Why: "there is no `this` in this frame: the method is static"}
	}
	why := r.program.Unknown(root.Name)
	return &Refusal{Why: why, Name: root.Name, Vague: why == ""}
}

// unknownStatic explains a member that a type does not have; nil when the name before it is no type.
func (r *run) unknownStatic(links []csharp.Node) error {
	for n := len(links) - 1; n >= 1 && r.program.Calls(); n-- {
		member, ok := links[n].(*csharp.Member)
		tree, err := csharp.Parse("typeof(" + csharp.Bare(links[n-1]) + ")")
		of, isType := tree.(*csharp.OfType)
		if !ok || err != nil || !isType {
			continue
		}
		t, ok := typeText{}, false
		if !r.attempt(func() { t, ok = r.resolve(of.Type) }) || !ok {
			continue
		}
		if v, ok := r.ask(typeExpr(t.clr)); !ok || v.isNull() {
			continue
		}
		why := t.full + " has no static member " + member.Name + " that netcoredbg can read"
		if e := r.enumOf(t); e != nil {
			why = t.full + " has no " + member.Name + "; there are " + mapping.Clip(strings.Join(e.names, ", "), 300)
		}
		return &Refusal{Why: why, Type: t.full}
	}
	return nil
}

// outside is the exception of an index.
func outside(n *big.Int, of Value) *Thrown {
	return &Thrown{Type: "System.IndexOutOfRangeException",
		Message: "the index " + n.String() + " is outside of " + of.Text + ", which is a " + strings.Trim(of.Shown, "{}")}
}

// answer is a value as the debugger has shown it.
func (v Value) answer() Answer {
	return Answer{Value: v.Shown, Type: v.Type, Text: v.Text, Reference: v.Ref}
}
