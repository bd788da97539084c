package inspect

import (
	"strings"

	"breakwire/adapter/fault"
	"breakwire/mapping/expression"
)

// netcoredbg 3.1.2 evaluates two kinds of calls with wrong bytes, without an error: methods of a nullable that a getter
// returned, and calls with an enum argument that is not stored in a variable.

// ofNullable reports whether a nullable has its own version of a method.
func ofNullable(name string) bool {
	switch name {
	case "ToString", "Equals", "GetHashCode":
		return true
	}
	return false
}

// suspects returns the members and elements in an expression on which a method is called (on), which may be nullables,
// and those that are passed as arguments (passed), which may be enums. It leaves out those whose evaluation may have
// side effects.
func suspects(text string) (on, passed []string) {
	if !strings.Contains(text, "(") {
		return nil, nil
	}
	for _, c := range expression.Chains(text) {
		for n, p := range c.Parts {
			if p.Kind != expression.Call || len(on)+len(passed) >= maxParts {
				continue
			}
			if n > 2 && (c.Parts[n-1].Null || ofNullable(c.Parts[n-1].Name)) && isPlace(c.Prefix(text, n-1)) {
				on = append(on, c.Prefix(text, n-1))
			}
			for _, arg := range expression.Arguments(text, p) {
				arg = strings.TrimSpace(arg)
				if of, ok := expression.OneChain(arg); ok && len(of.Parts) > 1 && isPlace(arg) && len(on)+len(passed) < maxParts {
					passed = append(passed, arg)
				}
			}
		}
	}
	return on, passed
}

// misread returns an error when netcoredbg has evaluated an expression with wrong bytes.
func (v *View) misread(r rescue, text string) error {
	on, passed := suspects(text)
	for _, of := range on {
		if body, err := v.again(of, r); err == nil && strings.HasSuffix(body.Type, "?") && !v.stored(r, of) {
			return fault.Errorf(fault.EvalFailed, "%s: netcoredbg reads the wrong bytes of %s, a nullable that a getter returns",
				text, of).With("expression", text)
		}
	}
	for _, arg := range passed {
		if body, err := v.again(arg, r); err == nil && maybeEnum(body) && !v.stored(r, arg) {
			return fault.Errorf(fault.EvalFailed, "%s: %s passes %s, an enum that is in no variable, with a wrong value", text,
				v.Profile.Name, arg).With("expression", text).With("argument", arg)
		}
	}
	return nil
}

// Suspicious reports whether the value of an expression has to be checked.
func Suspicious(expression string) bool {
	on, passed := suspects(expression)
	return on != nil || passed != nil
}

// misheard returns the enum among the arguments of a call that threw, when netcoredbg passes it with a wrong value
// because it is not stored in a variable.
func (v *View) misheard(text string) (enum string, ok bool) {
	c, ok := expression.OneChain(text)
	if !ok {
		return "", false
	}
	args := expression.Arguments(text, c.Parts[len(c.Parts)-1])
	for _, arg := range args[:min(len(args), maxParts)] {
		arg = strings.TrimSpace(arg)
		of, ok := expression.OneChain(arg)
		if !ok || len(of.Parts) < 2 || of.Parts[len(of.Parts)-1].Kind != expression.Member || !isPlace(arg) {
			continue
		}
		if body, err := v.evaluate(v.Here, arg, evaluateTimeout); err == nil && maybeEnum(body) && !v.isStored(arg) {
			return arg, true
		}
	}
	return "", false
}
