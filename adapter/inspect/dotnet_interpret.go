package inspect

import (
	"errors"
	"strings"

	"breakwire/adapter/dotnet/interpreter"
	"breakwire/adapter/fault"
	"breakwire/mapping"
	"breakwire/mapping/csharp"
	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// stoppedProgram is the program of a stop, as the interpreter of C# asks for it.
type stoppedProgram struct {
	v *View
	r rescue
}

// Ask evaluates a text that netcoredbg can evaluate. An exception is an error.
func (p stoppedProgram) Ask(text string) (interpreter.Answer, error) {
	body, err := p.v.again(text, p.r)
	if err == nil && ThrownBy(p.v.Profile.Language, text, body) != "" && !p.v.holdsExceptions(text) &&
		!interpreter.Kept(text) {
		err = p.v.threw(text, body)
	}
	if unanswered(err) {
		err = &interpreter.NotAnswered{Err: err}
	}
	return interpreter.Answer{Value: body.Result, Type: body.Type, Reference: body.VariablesReference}, err
}

// Members lists children of a value.
func (p stoppedProgram) Members(reference, start, count int) ([]interpreter.Answer, error) {
	vars, err := p.v.someVariables(dap.VariablesArguments{VariablesReference: reference, Start: start, Count: count})
	if err != nil {
		return nil, err
	}
	out := make([]interpreter.Answer, len(vars))
	for i, x := range vars {
		out[i] = interpreter.Answer{Name: x.Name, Value: x.Value, Type: x.Type, Text: x.EvaluateName,
			Reference: x.VariablesReference}
	}
	return out, nil
}

// Names returns the full names that a name of a type may stand for in the frame's method: in its class, in the classes
// around it, in their namespaces, and in those that the source file uses.
func (p stoppedProgram) Names(name string) []string {
	method, _, _ := strings.Cut(mapping.LogicalFunction(p.v.Here.Name), "(")
	var out []string
	if strings.Contains(name, ".") {
		out = append(out, name)
	}
	for at := strings.LastIndexByte(method, '.'); at > 0; at = strings.LastIndexByte(method, '.') {
		method = method[:at]
		out = append(out, method+"."+name)
	}
	if !strings.Contains(name, ".") {
		out = append(out, name)
	}
	if l := p.v.Debugger.Location(&p.v.Here); l != nil && mapping.IsAbs(l.File) {
		if text, err := p.v.Debugger.Source(l.File); err == nil {
			out = append(out, mapping.UsedNames(text, name)...)
		}
	}
	return out
}

// Calls reports whether functions of the program may run.
func (p stoppedProgram) Calls() bool { return !p.v.NoCalls }

// Extensions returns the types of the modules with symbols that have a function of that name.
func (p stoppedProgram) Extensions(function string) []string {
	return p.v.Debugger.Extensions(function)
}

// Hiding returns the types in which a member hides one of a base class.
func (p stoppedProgram) Hiding(member string) []string { return p.v.Debugger.Hiding(member) }

// Declared returns the type with which the source file declares a variable, "" when it is not certain.
func (p stoppedProgram) Declared(variable string) string {
	if l := p.v.Debugger.Location(&p.v.Here); l != nil && mapping.IsAbs(l.File) {
		if text, err := p.v.Debugger.Source(l.File); err == nil {
			return mapping.DeclaredType(text, variable)
		}
	}
	return ""
}

// hides reports whether an expression uses a member that may hide another one: netcoredbg takes that of the object's
// own type.
func (v *View) hides(text string) bool {
	for _, c := range expression.Chains(text) {
		for n, p := range c.Parts {
			if n > 0 && p.Kind == expression.Member && len(v.Debugger.Hiding(p.Name)) > 0 {
				return true
			}
		}
	}
	return false
}

// Stored reports whether a text is a variable, a field or an element.
func (p stoppedProgram) Stored(text string) bool { return p.v.stored(p.r, text) }

// interpret evaluates an expression as C# means it. ok is false when the interpreter does not know a part of it, so
// that the answer or the explanation comes from elsewhere.
func (v *View) interpret(r rescue) (a answer, ok bool, err error) {
	tree, err := csharp.Parse(r.text)
	if err != nil {
		return answer{}, false, nil
	}
	got, err := interpreter.Evaluate(stoppedProgram{v, r}, tree)
	var refused *interpreter.Refusal
	var none *interpreter.NotAnswered
	var thrown *interpreter.Thrown
	switch {
	case err == nil:
		note := "breakwire computed it: netcoredbg cannot"
		if got.Text != "" && got.Text != "null" {
			note = "evaluated as " + got.Text
		}
		return answer{body: dap.EvaluateResponseBody{Result: got.Value, Type: got.Type, VariablesReference: got.Reference},
			text: got.Text, note: JoinNotes(note, got.Note), digits: got.Exact}, true, nil
	case errors.As(err, &refused):
		if refused.Foreign {
			return answer{}, false, nil
		}
		return answer{}, true, r.failed("%s", refused.Why)
	case errors.As(err, &none):
		return answer{}, false, nil
	case errors.As(err, &thrown):
		if thrown.Null != "" && thrown.Type == "System.NullReferenceException" {
			return answer{}, false, nil // the explanation names the null
		}
		return answer{}, true, fault.Errorf(fault.EvalFailed, "%s: %v", r.text, thrown).With("expression", r.text).
			With("exceptionType", thrown.Type).With("exceptionMessage", thrown.Message)
	}
	return answer{}, true, err
}

// retyped evaluates again what netcoredbg answers with another type than C# (an uint beside an int is a long there, a
// size is an uint) or without its last digits. Only expressions without calls are evaluated twice.
func (v *View) retyped(r rescue, body dap.EvaluateResponseBody) (a answer, ok bool) {
	switch body.Type {
	case "long", "uint", "double", "float":
	default:
		return answer{}, false
	}
	tree, err := csharp.Parse(r.text)
	if err != nil || !computes(tree) {
		return answer{}, false
	}
	a, ok, err = v.interpret(r)
	if !ok || err != nil || a.body.Type == body.Type && a.body.Result == body.Result && !a.digits {
		return answer{}, false
	}
	return a, true
}

// computes reports whether an expression has arithmetic or sizeof, and neither calls nor what netcoredbg refuses.
func computes(n csharp.Node) bool {
	switch n := n.(type) {
	case *csharp.Paren:
		return computes(n.X)
	case *csharp.OfType:
		return n.Op == "sizeof"
	case *csharp.Unary:
		return n.Op != "!" && plainOperand(n.X)
	case *csharp.Binary:
		switch n.Op {
		case "+", "-", "*", "/", "%", "&", "|", "^":
			return plainOperand(n.L) && plainOperand(n.R)
		}
	}
	return false
}

// plainOperand reports whether a part of an expression is a literal, a place, or a computation with them.
func plainOperand(n csharp.Node) bool {
	switch n := n.(type) {
	case *csharp.Literal, *csharp.Name:
		return true
	case *csharp.Paren:
		return plainOperand(n.X)
	case *csharp.Member:
		return n.Op == "." && plainOperand(n.Of)
	case *csharp.Index:
		for _, a := range n.Args {
			if !plainOperand(a.Value) {
				return false
			}
		}
		return !n.Null && plainOperand(n.Of)
	}
	return computes(n)
}
