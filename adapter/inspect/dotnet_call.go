package inspect

import (
	"slices"
	"strings"

	"breakwire/adapter/fault"
	"breakwire/mapping"
	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// Calls of .NET in other forms. netcoredbg finds a method only when the arguments have exactly its parameter types, and
// finds no getter that its type hides from debuggers.

// Miscalled is what the runtime throws when netcoredbg calls an extension method with wrong arguments. The program's
// code did not throw it.
const Miscalled = "System.Reflection.TargetParameterCountException"

func NotCallable(text string) *fault.Error {
	return fault.Errorf(fault.EvalFailed, "%s: netcoredbg calls it with other arguments than it takes", text).
		With("expression", text).With("backendMessage", Miscalled)
}

// reworded answers the first call or getter of an expression that netcoredbg cannot evaluate; nil when there is none.
func (v *View) reworded(text string, r rescue) (*replacement, error) {
	if v.NoCalls {
		return nil, nil
	}
	for _, c := range expression.Chains(text) {
		for n := 1; n < len(c.Parts); n++ {
			p, prefix := c.Parts[n], c.Prefix(text, n)
			called := n+1 < len(c.Parts) && c.Parts[n+1].Kind == expression.Call
			if called && p.Kind == expression.Member {
				continue
			}
			if _, err := v.again(c.Prefix(text, n+1), r); err == nil {
				continue
			} else if !unanswered(err) {
				return nil, err
			}
			words := v.widened(prefix, expression.Arguments(text, p), r)
			if p.Kind == expression.Member {
				body, err := v.again(prefix, r)
				if err != nil { // it may be the name of a type
					continue
				}
				if strings.HasPrefix(body.Result, "{") {
					if err := v.waits(r, prefix, p.Name, body.Type); err != nil {
						return nil, err
					}
					words = []string{prefix + ".get_" + p.Name + "()"}
				}
			}
			for _, word := range words {
				body, err := v.again(word, r)
				if err == nil {
					return &replacement{answer{body: body, text: word, note: "evaluated as " + word}, c.Start, p.End}, nil
				}
				if !unanswered(err) {
					return nil, err
				}
			}
			break
		}
	}
	return nil, nil
}

// waits refuses the result of a task that is not complete: reading it would block until another thread completes the
// task, and no other thread runs.
func (v *View) waits(r rescue, prefix, name, typ string) error {
	head, _ := mapping.GenericType(typ)
	if name != "Result" || !strings.HasPrefix(head, "System.Threading.Tasks.") {
		return nil
	}
	if body, err := v.again(prefix+".IsCompleted", r); err != nil || body.Result != "true" {
		return r.failed("%s has not completed, and .Result would wait for it", prefix)
	}
	return nil
}

// wider are the types to which C# converts numbers implicitly, the nearest first.
var wider = []string{"int", "long", "float", "double", "decimal"}

// widened returns forms of a call with its numbers converted to wider types.
func (v *View) widened(method string, args []string, r rescue) (words []string) {
	if len(args) == 0 {
		return nil
	}
	values := make([]answer, len(args))
	for i, arg := range args {
		a, ok := constant(strings.TrimSpace(arg))
		if !ok { // what cannot be evaluated alone was replaced before
			body, err := v.again(arg, r)
			if err != nil {
				return nil
			}
			a = answer{body: body, text: strings.TrimSpace(arg)}
		}
		values[i] = a
	}
	for _, typ := range wider {
		parts := slices.Clone(args)
		for i, a := range values {
			switch {
			case a.constant && widens("int", typ):
				parts[i] = a.body.Result + suffixes()[typ]
			case a.body.Type != "char" && widens(a.body.Type, typ):
				parts[i] = a.expr() + " * 1" + suffixes()[typ]
			}
		}
		if word := method + "(" + strings.Join(parts, ", ") + ")"; !slices.Equal(parts, args) {
			words = append(words, word)
		}
	}
	return words
}

// widens reports whether C# converts a number implicitly to another type.
func widens(from, to string) bool {
	switch {
	case integers()[from] != 0 && integers()[to] != 0:
		return fitsAll(from, to)
	case integers()[from] != 0:
		return true
	}
	return from == "float" && to == "double"
}

// fitsAll reports whether a larger integer type holds all numbers of another one.
func fitsAll(from, to string) bool {
	a, b := integers()[from], integers()[to]
	return from != to && (a > 0 && b < 0 && a < -b || a > 0 && b > a || a < 0 && b < a)
}

// calledOnNull returns an error when netcoredbg has called an instance method on null, which it recognises by what the
// method threw.
func (v *View) calledOnNull(text, message string, body dap.EvaluateResponseBody) *fault.Error {
	if body.Type != "System.NullReferenceException" && message != "Value cannot be null." {
		return nil
	}
	c, ok := expression.OneChain(text)
	last := len(c.Parts) - 1
	if !ok || last < 2 || c.Parts[last].Kind != expression.Call || c.Parts[last-1].Kind != expression.Member {
		return nil
	}
	prefix := c.Prefix(text, last-1)
	if !isPlace(prefix) {
		return nil
	}
	if of, err := v.evaluate(v.Here, prefix, evaluateTimeout); err == nil && of.Result == "null" {
		return nullReference(text, prefix, c.Prefix(text, last), of.Type)
	}
	return nil
}
