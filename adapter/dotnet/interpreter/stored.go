package interpreter

import (
	"slices"
	"strings"
	"sync"

	"breakwire/mapping"
	"breakwire/mapping/csharp"
)

// maxSuspects bounds how many parts of an expression are checked.
const maxSuspects = 8

// Suspects returns the parts of an expression that netcoredbg may read from wrong bytes, without an error. on are
// members and elements on which a method is called: nullables, when a getter returns them. passed are arguments: enums
// that are in no variable. Parts whose evaluation may have effects are left out.
func Suspects(text string) (on, passed []string) {
	if !strings.Contains(text, "(") {
		return nil, nil
	}
	tree, err := csharp.Parse(text)
	if err != nil {
		return nil, nil
	}
	csharp.Walk(tree, func(n csharp.Node) bool {
		call, ok := n.(*csharp.Call)
		if !ok || len(on)+len(passed) >= maxSuspects {
			return true
		}
		if m, ok := call.Of.(*csharp.Member); ok && (m.Op == "?." || ofNullable(m.Name)) && len(linksOf(m.Of)) > 1 {
			if of := csharp.Bare(m.Of); isPlace(of) {
				on = append(on, of)
			}
		}
		for _, a := range call.Args {
			if text := csharp.Bare(a.Value); len(linksOf(a.Value)) > 1 && isPlace(text) && len(on)+len(passed) < maxSuspects {
				passed = append(passed, text)
			}
		}
		return true
	})
	return on, passed
}

// ofNullable reports whether a nullable has its own version of a method.
func ofNullable(name string) bool {
	return name == "ToString" || name == "Equals" || name == "GetHashCode"
}

// isPlace reports whether a text has only names, members and indexes, so that it may be evaluated twice.
func isPlace(text string) bool { return !strings.ContainsAny(text, "()=+-*/%&|?:;<>!~ ") }

// Misread returns the part of an expression that netcoredbg has read from wrong bytes.
func Misread(p Program, text string) (part string, ok bool) {
	on, _ := Suspects(text)
	for _, of := range on {
		if a, err := p.Ask(of); err == nil && strings.HasSuffix(a.Type, "?") && !Stored(p, of) {
			return of, true
		}
	}
	return "", false
}

// Mispassed returns the argument of an expression that netcoredbg would pass with a wrong value: an enum that is in no
// variable.
func Mispassed(p Program, text string) (argument string, ok bool) {
	_, passed := Suspects(text)
	for _, of := range passed {
		a, err := p.Ask(of)
		if err == nil && isEnum(a) && (strings.HasSuffix(of, "."+a.Value) || !Stored(p, of)) {
			return of, true
		}
	}
	return "", false
}

// Misheard returns the enum among the arguments of a call that threw, when netcoredbg passes it with a wrong value.
func Misheard(p Program, text string) (enum string, ok bool) {
	tree, err := csharp.Parse(text)
	if err != nil {
		return "", false
	}
	for i, a := range argumentsOf(tree) {
		if _, member := a.Value.(*csharp.Member); !member || i == maxSuspects {
			continue
		}
		if of := csharp.Bare(a.Value); isPlace(of) {
			if a, err := p.Ask(of); err == nil && isEnum(a) && !Stored(p, of) {
				return of, true
			}
		}
	}
	return "", false
}

// isEnum reports whether an answer is shown as an enum is.
func isEnum(a Answer) bool {
	switch typ := strings.TrimSuffix(a.Type, "?"); {
	case typ == "", typ == "IntPtr", typ == "UIntPtr", fullNames()[typ] != "", a.Value == "null":
		return false
	}
	return !strings.HasPrefix(a.Value, "{") && !strings.HasPrefix(a.Value, `"`)
}

// NullReceiver returns the part before the method of a call, which may be null when the method has thrown, and the part
// with the method.
func NullReceiver(text string) (of, member string, ok bool) {
	tree, err := csharp.Parse(text)
	call, isCall := tree.(*csharp.Call)
	if err != nil || !isCall {
		return "", "", false
	}
	m, ok := call.Of.(*csharp.Member)
	if !ok {
		return "", "", false
	}
	of = csharp.Bare(m.Of)
	return of, memberText(m.Of, m), isPlace(of)
}

// Stored reports whether a text is a variable, a field or an element of an array, and not the result of a getter or a
// method. What is stored can be evaluated twice.
func Stored(p Program, text string) bool {
	tree, err := csharp.Parse(text)
	if err != nil {
		return false
	}
	found := func(question string) bool {
		a, err := p.Ask(question)
		return err == nil && a.Value != "null"
	}
	switch n := tree.(type) {
	case *csharp.Name:
		if p.Variable(n.Name) {
			return true
		}
		own := strings.TrimSuffix(p.Names("?")[0], ".?")
		return found(`this.GetType().GetDeclaredField("`+n.Name+`")`) || found(`this.GetType().GetField("`+n.Name+`")`) ||
			found(`System.Type.GetType("`+own+`").GetDeclaredField("`+n.Name+`")`)
	case *csharp.Member:
		of := csharp.Bare(n.Of)
		return found(of+`.GetType().GetDeclaredField("`+n.Name+`")`) || found(of+`.GetType().GetField("`+n.Name+`")`)
	case *csharp.Index:
		a, err := p.Ask(csharp.Bare(n.Of))
		return err == nil && mapping.ArrayLengths(a.Value) != nil
	}
	return false
}

// Repeatable reports whether an expression can be evaluated twice: it calls nothing but the runtime's arithmetic, and
// reads only variables, fields, automatic properties, elements of arrays, and what the runtime's own types have.
func Repeatable(p Program, text string) bool {
	tree, err := csharp.Parse(text)
	return err == nil && repeats(p, tree)
}

func repeats(p Program, n csharp.Node) bool {
	arguments := func(args []csharp.Argument) bool {
		return !slices.ContainsFunc(args, func(a csharp.Argument) bool { return !repeats(p, a.Value) })
	}
	switch n := n.(type) {
	case *csharp.Literal:
		return true
	case *csharp.Paren:
		return repeats(p, n.X)
	case *csharp.Unary:
		return n.Op != "++" && n.Op != "--" && n.Op != "await" && n.Op != "throw" && repeats(p, n.X)
	case *csharp.Binary:
		return repeats(p, n.L) && repeats(p, n.R)
	case *csharp.Name:
		return n.Is("this") || Stored(p, n.Name)
	case *csharp.Member:
		return ofSystem(n) || repeats(p, n.Of) && (Stored(p, csharp.Bare(n)) || pure(p, n.Of, n.Name))
	case *csharp.Index:
		return repeats(p, n.Of) && arguments(n.Args) && (Stored(p, csharp.Bare(n)) || pure(p, n.Of, ""))
	case *csharp.Call:
		m, ok := n.Of.(*csharp.Member)
		if ok && m.Name == "get_Value" && len(n.Args) == 0 {
			return repeats(p, m.Of)
		}
		return ok && arithmetic()[csharp.Bare(m.Of)] && arguments(n.Args)
	}
	return false
}

// arithmetic are the types whose functions have no effect.
var arithmetic = sync.OnceValue(func() map[string]bool {
	return map[string]bool{"System.Math": true, "System.MathF": true, "System.Decimal": true, "System.Convert": true}
})

// ofSystem reports whether a member is one of the runtime's own static ones.
func ofSystem(n *csharp.Member) bool {
	switch of := n.Of.(type) {
	case *csharp.Name:
		return of.Name == "System"
	case *csharp.Member:
		return ofSystem(of)
	}
	return false
}

// pure reports whether a member is one of a type of the runtime, or a property without code of its own.
func pure(p Program, of csharp.Node, member string) bool {
	text := csharp.Bare(of)
	if a, err := p.Ask(text); err == nil && strings.HasPrefix(a.Type, "System.") {
		return true
	}
	if member == "" {
		return false
	}
	a, err := p.Ask(text + `.GetType().GetDeclaredField("<` + member + `>k__BackingField")`)
	return err == nil && a.Value != "null"
}
