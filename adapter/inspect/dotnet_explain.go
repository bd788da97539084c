package inspect

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"breakwire/adapter/fault"
	"breakwire/mapping"
	"breakwire/mapping/csharp"
	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

const onlyLINQ = "a lambda can be passed only to the methods of LINQ on arrays and the runtime's collections"

// syntaxHelp says what to write in place of syntax that netcoredbg does not implement.
var syntaxHelp = []struct{ kind, help string }{
	{"ObjectCreationExpression", "netcoredbg cannot create objects; evaluate members of existing ones"},
	{"ArrayCreationExpression", "netcoredbg cannot create arrays"},
	{"CastExpression", "netcoredbg has no casts: leave the cast out; members of the object's real type can be read " +
		"directly, the number of an enum is its .value__"},
	{"IsExpression", "netcoredbg has no `is`: evaluate .GetType().FullName and compare the text"},
	{"IsPatternExpression", "netcoredbg has no patterns: compare with == and evaluate .GetType().FullName"},
	{"AsExpression", "netcoredbg has no `as`: read the members directly, they are those of the object's real type"},
	{"TypeOfExpression", "netcoredbg has no typeof: evaluate .GetType().FullName of an object"},
	{"Parameter", onlyLINQ},
	{"LambdaExpression", onlyLINQ},
	{"Interpolation", "netcoredbg has no interpolated strings: join texts with +, as in \"i is \" + i"},
	{"InterpolatedString", "netcoredbg has no interpolated strings: join texts with +"},
	{"AssignmentExpression", "expressions do not assign here: use variable_set"},
	{"IncrementExpression", "expressions do not assign here: use variable_set"},
	{"DecrementExpression", "expressions do not assign here: use variable_set"},
	{"CheckedExpression", "leave checked() out"},
	{"UncheckedExpression", "leave unchecked() out"},
	{"BaseExpression", "netcoredbg has no `base`: write this, which has the members of its base types too, where " +
		"they are not overridden"},
	{"SwitchExpression", "evaluate the parts one by one"},
	{"AwaitExpression", "netcoredbg cannot await: evaluate .Result of a completed task"},
	{"DefaultExpression", "write the value itself: 0, false or null"},
}

// explainSyntax explains syntax that netcoredbg's evaluator does not implement; nil for other failures.
func explainSyntax(r rescue) *fault.Error {
	reason, _ := r.cause.Details["backendMessage"].(string)
	_, kind, ok := strings.Cut(reason, "SyntaxKindNotImplementedException: ")
	if ok {
		for _, h := range syntaxHelp {
			if strings.Contains(kind, h.kind) {
				return r.failed("%s", h.help)
			}
		}
		kind, _, _ = strings.Cut(kind, " not implemented")
		return r.failed("netcoredbg's evaluator has no %s; evaluate its parts", kind)
	}
	switch {
	case strings.Contains(reason, "expressions found"), strings.Contains(reason, "; expected"):
		return fault.Errorf(fault.SyntaxError, "%s: give one expression at a time", r.text).With("expression", r.text).
			With("backendMessage", reason)
	case r.cause.Code == fault.SyntaxError:
		return r.cause
	}
	return nil
}

// unparsed returns an error for a text that is no C# expression: the column and what was expected there.
func unparsed(text, backendMessage string) *fault.Error {
	_, err := csharp.Parse(text)
	e, ok := err.(*csharp.Error)
	if !ok || e.Limit {
		return nil
	}
	return fault.Errorf(fault.SyntaxError, "%s: %v", text, e).With("expression", text).With("column", e.Column()).
		With("expected", e.Expected).With("backendMessage", backendMessage)
}

func nullReference(text, part, member, typ string) *fault.Error {
	return fault.Errorf(fault.EvalFailed, "%s is null, so %s throws System.NullReferenceException; ?. gives null "+
		"instead", part,
		member).
		With("expression", text).With("exceptionType", "System.NullReferenceException").With("nullPart", part).
		With("type", typ)
}

// explain says why an expression has no value: a part of it is null, or a name does not exist.
func (v *View) explain(text string, r rescue) error {
	for _, c := range expression.Chains(text) {
		for n := len(c.Parts) - 1; n >= 1; n-- {
			if c.Parts[n].Kind == expression.Call && n > 1 {
				n-- // a method has no value
			}
			prefix := c.Prefix(text, n)
			body, err := v.valueOf(prefix, r)
			if err != nil {
				if !unanswered(err) {
					return err
				}
				continue
			}
			if body.Result == "null" {
				if v.cutShort(text, c, n, r) {
					break
				}
				return nullReference(r.text, prefix, c.Prefix(text, n+1), body.Type)
			}
			if e := v.unknownMember(c, text, n, body, r); e != nil {
				return e
			}
			break
		}
	}
	return v.unknownName(text, r)
}

// unknownMember explains what is wrong with the part after a prefix that has a value; nil when nothing is known.
func (v *View) unknownMember(c expression.Chain, text string, n int, body dap.EvaluateResponseBody, r rescue) error {
	p, prefix := c.Parts[n], c.Prefix(text, n)
	called := n+1 < len(c.Parts) && c.Parts[n+1].Kind == expression.Call
	switch {
	case p.Kind == expression.Member && called:
		return r.failed("%s.%s cannot be called like that; check its name, and that its arguments are of the very "+
			"types of its parameters, and not of a base type (netcoredbg finds no extension, "+
			"generic or optional ones; collection_analyze sums a collection up)", prefix, p.Name).With("type", body.Type)
	case p.Kind == expression.Index:
		lengths := mapping.ArrayLengths(body.Result)
		for i, arg := range expression.Arguments(text, p) {
			a, err := v.operand(r, arg)
			if n, ok := whole(a.body); err == nil && ok && i < len(lengths) &&
				(n.Sign() < 0 || n.Cmp(big.NewInt(int64(lengths[i]))) >= 0) {
				return fault.Errorf(fault.EvalFailed, "%s: the index %s is outside of %s, which is a %s", r.text, n, prefix,
					strings.Trim(body.Result, "{}")).With("expression", r.text).
					With("exceptionType", "System.IndexOutOfRangeException")
			}
		}
	case p.Kind == expression.Member:
		e := r.failed("%s (%s) has no member %s that netcoredbg can read", prefix, body.Type, p.Name).With("type", body.Type)
		if strings.HasPrefix(body.Type, "System.ValueTuple<") {
			e.Message += "; the names of tuple elements exist only in the source: write Item1, Item2, ... in their order"
			return e
		}
		if l, err := v.children(item{node: evaluatedNode(prefix, body), path: prefix, child: true}); err == nil &&
			l.total > 0 {
			if items, err := l.at(0, min(l.total, 100)); err == nil {
				names := make([]string, 0, len(items))
				for _, it := range items {
					names = append(names, it.name)
				}
				e.Message += "; there are " + mapping.Clip(strings.Join(names, ", "), 300)
				if slices.Contains(names, p.Name) {
					return nil // this part can be read
				}
				if near := mapping.Nearest(p.Name, names); near != "" {
					e.Message += "; did you mean " + near + "?"
				}
			}
		}
		return e
	}
	return nil
}

// unknownName says which name does not exist, if that is the reason.
func (v *View) unknownName(text string, r rescue) error {
	l, err := v.scoped("all")
	if err != nil {
		return r.cause
	}
	all, err := l.at(0, l.total)
	if err != nil {
		return r.cause
	}
	for _, c := range expression.Chains(text) {
		root := c.Parts[0]
		if root.Name == "" || strings.HasPrefix(root.Name, `"`) {
			continue
		}
		if len(c.Parts) > 1 && (c.Parts[1].Kind == expression.Member || c.Parts[1].Kind == expression.Call) &&
			root.Name != "this" {
			if hasNamed(all, root.Name) {
				continue
			}
			if _, err := v.valueOf(text[c.Start:c.End], r); err == nil {
				continue
			}
			if root.Name == "System" {
				return r.failed("netcoredbg cannot evaluate %s; check its name and arguments (its evaluator has no "+
					"generic, extension or params methods)", text[c.Start:c.End])
			}
			return r.failed("netcoredbg does not know %s; it is no variable of this frame, and types need their full "+
				"name with the namespace, as in System.Math.Max(1, 2)",
				c.Prefix(text, 1))
		}
		if _, err := v.valueOf(root.Name, r); err == nil {
			continue
		}
		if root.Name == "this" {
			return fault.Errorf(fault.EvalFailed, "%s: there is no `this` in this frame: the method is static", r.text).
				With("expression", r.text)
		}
		return r.failed("%s", unknownVariable(root.Name, all).Message).With("name", root.Name)
	}
	if strings.Contains(fmt.Sprint(r.cause.Details["backendMessage"]), "0x8") {
		return r.failed("netcoredbg cannot evaluate it and does not say why; evaluate its parts one by one, types " +
			"with their namespace")
	}
	return r.cause
}
