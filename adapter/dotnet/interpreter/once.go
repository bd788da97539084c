package interpreter

import (
	"strings"

	"breakwire/mapping/csharp"
)

// The debugger knows a value only by its text. The text of what a call has returned would run the call again, so such a
// value is read by its members, and is not passed on.

// mayRepeat reports whether a text can be evaluated again: its calls have no effect.
func (r *run) mayRepeat(text string) bool {
	if !strings.Contains(text, "(") {
		return true
	}
	if known, ok := r.repeats[text]; ok {
		return known
	}
	ok := false
	if tree, err := csharp.Parse(text); err == nil {
		ok = true
		csharp.Walk(tree, func(n csharp.Node) bool {
			if call, is := n.(*csharp.Call); is {
				ok = ok && r.harmless(call)
			}
			return ok
		})
	}
	r.repeats[text] = ok
	return ok
}

// harmless reports whether a call changes nothing: it is one of the runtime's own, or of a value that never changes.
func (r *run) harmless(n *csharp.Call) bool {
	m, ok := n.Of.(*csharp.Member)
	if !ok {
		return false
	}
	of := csharp.Bare(m.Of)
	switch {
	case strings.HasPrefix(m.Name, "get_"), m.Name == "GetType", m.Name == "GetEnumerator", m.Name == "Unwrap":
		return true
	case m.Name == "Invoke", m.Name == "DynamicInvoke":
		return false
	case strings.HasPrefix(of, "System.AppContext.GetData("):
		return m.Name == "ToArray"
	case strings.HasPrefix(of, "System."), strings.Contains(of, ".GetType()"):
		return true
	}
	v, known := r.places[of]
	return known && neverChanges(v.inner())
}

// neverChanges reports whether a type's methods change nothing.
func neverChanges(typ string) bool {
	switch typ {
	case "System.DateTime", "System.DateTimeOffset", "System.TimeSpan", "System.DateOnly", "System.TimeOnly",
		"System.Guid", "System.Uri", "System.Version", "System.Type", "System.RuntimeType", bigInteger:
		return true
	}
	return isSimple(typ) || strings.HasPrefix(typ, "System.Reflection.")
}

// child is a field of a value. Those of what a call has returned are looked up among its members.
func (r *run) child(v Value, path string) Value {
	repeats := v.Text != "" && r.mayRepeat(v.Text)
	if repeats {
		got, ok := r.ask(v.Text + "." + path)
		switch {
		case ok:
			return got
		case !strings.Contains(v.Text, "<"): // the debugger does not take such names
			r.refuse("the debugger cannot evaluate %s.%s", v.Text, path)
		}
	}
	for name := range strings.SplitSeq(path, ".") {
		found := false
		if v.Ref != 0 {
			for _, m := range r.members(v, 0, 0) {
				if m.Name == name {
					v, found = m, true
					break
				}
			}
		}
		if !found {
			r.refuse("%s of what %s returned is not known: breakwire runs code of the program only once", name, v.Text)
		}
	}
	return v
}

// typeOfValue is the text of the System.Type of an object.
func (r *run) typeOfValue(v Value) (string, bool) {
	if r.mayRepeat(v.Text) {
		return v.Text + ".GetType()", true
	}
	t, ok := typeText{}, false
	r.attempt(func() { t, ok = r.resolve(r.parseType(v.inner())) })
	return typeExpr(t.clr), ok
}
