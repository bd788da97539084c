package inspect

import (
	"errors"
	"strings"

	"breakwire/adapter/dotnet/interpreter"
	"breakwire/adapter/fault"
	"breakwire/mapping/csharp"

	"github.com/google/go-dap"
)

// answer is the value of a C# expression. text is an expression that netcoredbg evaluates to it; "" when there is none.
type answer struct {
	body       dap.EvaluateResponseBody
	text, note string
	digits     bool // all digits of a double or float are known
}

// hides reports whether an expression uses a member that may hide another one: netcoredbg takes that of the object's
// own type.
func (v *View) hides(text string) (found bool) {
	tree, err := csharp.Parse(text)
	if err != nil {
		return false
	}
	csharp.Walk(tree, func(n csharp.Node) bool {
		m, ok := n.(*csharp.Member)
		found = found || ok && len(v.Debugger.Hiding(m.Name)) > 0
		return !found
	})
	return found
}

// notSent marks the cause of an expression that netcoredbg would answer wrong, and was not asked for.
const notSent = "notSent"

// rescue evaluates an expression that netcoredbg refused, or explains why it cannot be evaluated.
func (q *inquiry) rescue(cause *fault.Error) (answer, error) {
	if q.cause = cause; cause.Details[notSent] == nil {
		q.known[q.text] = learned{err: cause}
	}
	tree, err := csharp.Parse(q.text)
	if e, ok := err.(*csharp.Error); ok {
		if e.Limit {
			return answer{}, cause
		}
		return answer{}, fault.Errorf(fault.SyntaxError, "%s: %v", q.text, e).With("expression", q.text).
			With("column", e.Column()).With("expected", e.Expected).With("backendMessage", cause.Details["backendMessage"])
	}
	return q.interpret(tree)
}

// interpret evaluates an expression as C# means it.
func (q *inquiry) interpret(tree csharp.Node) (answer, error) {
	got, err := interpreter.Evaluate(q, tree)
	var refused *interpreter.Refusal
	var thrown *interpreter.Thrown
	switch {
	case err == nil:
		note := "breakwire computed it: netcoredbg cannot"
		if got.Text != "" && got.Text != "null" {
			note = "evaluated as " + got.Text
		}
		return answer{body: dap.EvaluateResponseBody{Result: got.Value, Type: got.Type, VariablesReference: got.Reference},
			text: got.Text, note: JoinNotes(note, got.Note), digits: got.Exact}, nil
	case errors.As(err, &refused) && q.wrong != nil:
		return answer{}, q.wrong
	case errors.As(err, &refused) && refused.Vague && q.explained():
		return answer{}, q.cause
	case errors.As(err, &refused):
		e := q.failed("%s", refused.Why)
		if refused.Type != "" {
			e = e.With("type", refused.Type)
		}
		if refused.Name != "" {
			e = e.With("name", refused.Name)
		}
		return answer{}, e
	case errors.As(err, &thrown):
		e := fault.Errorf(fault.EvalFailed, "%s: %v", q.text, thrown).With("expression", q.text).
			With("exceptionType", thrown.Type)
		if thrown.Member != "" {
			e.Message = thrown.Error()
			return answer{}, e.With("nullPart", thrown.Null).With("type", thrown.Of)
		}
		if thrown.Null != "" {
			e = e.With("nullPart", thrown.Null)
		}
		return answer{}, e.With("exceptionMessage", thrown.Message)
	}
	return answer{}, err
}

// explained reports whether netcoredbg has said in words why it cannot evaluate an expression.
func (q *inquiry) explained() bool {
	reason := ""
	if q.cause != nil {
		reason, _ = q.cause.Details["backendMessage"].(string)
	}
	return reason != "" && !strings.Contains(reason, "0x8")
}

// retyped evaluates again what netcoredbg answers with another type than C# (an uint beside an int is a long there, a
// size is an uint) or without its last digits. Only expressions without calls are evaluated twice.
func (q *inquiry) retyped(body dap.EvaluateResponseBody) (a answer, ok bool) {
	switch body.Type {
	case "long", "uint", "double", "float":
	default:
		return answer{}, false
	}
	tree, err := csharp.Parse(q.text)
	if err != nil || !computes(tree) {
		return answer{}, false
	}
	a, err = q.interpret(tree)
	if err != nil || a.body.Type == body.Type && a.body.Result == body.Result && !a.digits {
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
