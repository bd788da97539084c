package inspect

import (
	"cmp"
	"errors"
	"regexp"
	"strings"
	"sync"

	"breakwire/adapter/fault"
	"breakwire/dapclient"
	"breakwire/tracepoints"

	"github.com/google/go-dap"
)

// SetQuery selects a variable and its new value.
type SetQuery struct {
	Name          string // of a variable of the frame
	Path          string // instead: a path that was shown at this stop
	Value         string // an expression
	Thread, Frame int
}

// settable returns a variable with its container.
func (v *View) settable(path string) (item, error) {
	if n, ok := v.Cache.places.get(v.Epoch, v.Here.Id, path); ok && n.container != 0 {
		return v.placed(n, path), nil
	}
	l, err := v.scoped("all")
	if err != nil {
		return item{}, err
	}
	all, err := l.at(0, l.total)
	if err != nil {
		return item{}, err
	}
	for _, it := range all {
		if it.name == path || it.path == path || it.Name == path {
			return it, nil
		}
	}
	if parent := parentPath(path); parent != "" {
		if it, ok := v.childAt(parent, path); ok {
			return it, nil
		}
	}
	it, err := v.resolve(path)
	if err != nil && v.Profile.Language == dapclient.DotNet && parentPath(path) != "" {
		if written := v.written(path); written != path {
			if it, ok := v.childAt(parentPath(written), written); ok {
				return it, nil
			}
		}
	}
	return it, err
}

// childAt returns the child of a value that a path names.
func (v *View) childAt(parent, path string) (item, bool) {
	it, err := v.resolve(parent)
	if err != nil {
		return item{}, false
	}
	l, err := v.children(it)
	if err != nil {
		return item{}, false
	}
	kids, err := l.at(0, min(l.total, 2000))
	if err != nil {
		return item{}, false
	}
	for _, kid := range kids {
		if kid.path == path || it.path+"."+kid.Name == path || it.path+kid.Name == path || it.path+kid.name == path {
			kid.path = path
			return kid, true
		}
	}
	return item{}, false
}

// parentPath returns a path without its last member or index, "" for a bare name.
func parentPath(path string) string {
	at := max(strings.LastIndexByte(path, '.'), strings.LastIndex(path, "->"))
	if bracket := strings.LastIndexByte(path, '['); strings.HasSuffix(path, "]") && bracket > 0 {
		at = bracket
	}
	return path[:max(at, 0)]
}

// assign sends the new value: by container and name where the container is known, else by expression (DAP, SetVariable
// and SetExpression requests).
func (v *View) assign(it item, value string) (dap.SetVariableResponseBody, error) {
	value = Spoken(v.Profile.Language, Suffixed(it.Type, value, v.Profile.Language))
	return v.values().assign(v, it, value)
}

// assigned is assign for a language without a way of its own.
func (v *View) assigned(it item, value string) (dap.SetVariableResponseBody, error) {
	var m *dapclient.Message
	var err error
	switch {
	case v.Profile.AssignByExpression && (it.container == 0 || strings.HasPrefix(it.EvaluateName, "$")):
		// A member of a result ($0.id) would be set in lldb-dap's copy of the result.
		return v.assignByExpression(it, value, errors.New("it stands in no scope"))
	case it.container != 0:
		m, err = v.setContained(it, value)
	case v.Capabilities.SupportsSetExpression:
		m, err = v.Call(CallTimeout, "setExpression", dapclient.SetExpressionArguments{
			Expression: Spoken(v.Profile.Language, it.path),
			Value:      value, FrameID: &v.Here.Id})
	default:
		return dap.SetVariableResponseBody{}, fault.Errorf(fault.NotSupported,
			"%s sets variables only where they stand: give the path that variables_get shows of %s", v.Profile.Name, it.path).
			With("feature", "variable_set of an expression").With("missingCapability", "supportsSetExpression").
			With("backend", v.Profile.Name).
			With("hint", "list it with variables_get and take its path").With("sessionId", v.Session)
	}
	// lldb-dap names one of several variables x so
	if err != nil && v.Profile.AssignByExpression && it.container != 0 && !strings.Contains(it.Name, " @ ") {
		return v.assignByExpression(it, value, err)
	}
	return v.setAnswer(m, it, value, err)
}

// setAnswer reads the answer to a request that sets a variable.
func (v *View) setAnswer(m *dapclient.Message, it item, value string, err error) (dap.SetVariableResponseBody, error) {
	if err != nil {
		return dap.SetVariableResponseBody{}, v.assignError(it, value, err)
	}
	return dapclient.DecodeBody[dap.SetVariableResponseBody](m)
}

// behindPointer returns a container and a name by which Delve can set a value that it has not listed: those behind a
// pointer to it. The container is 0 when the value has no address.
func (v *View) behindPointer(it item) (container int, name string) {
	body, err := v.evaluate(v.Here, "&"+it.path, evaluateTimeout)
	if err != nil || body.VariablesReference == 0 {
		return 0, it.Name
	}
	if kids, err := v.variables(body.VariablesReference); err == nil && len(kids) == 1 {
		return body.VariablesReference, kids[0].Name
	}
	return 0, it.Name
}

// setContained sets a variable by its container.
func (v *View) setContained(it item, value string) (*dapclient.Message, error) {
	return v.Debugger.SetVariable(v.Reader, v.Here, it.path,
		dap.SetVariableArguments{VariablesReference: it.container, Name: it.Name, Value: value})
}

// assignPython makes the assignment as in a console. When a value cannot be evaluated, debugpy 1.6.6 answers
// setVariable with success and prints the error into the program's output; after such a setExpression it answers no
// request any more.
func (v *View) assignPython(it item, value string) (dap.SetVariableResponseBody, error) {
	if strings.TrimSpace(value) == "" {
		return dap.SetVariableResponseBody{}, fault.Errorf(fault.EvalFailed,
			"%s was not changed: there is no new value", it.name).
			With("name", it.name).With("currentValue", it.Value)
	}
	// The line end closes a comment in the value.
	_, err := v.evaluateAs("repl", v.Here, it.path+" = ("+value+"\n)", CallTimeout)
	if err == nil {
		return dap.SetVariableResponseBody{Value: value}, nil
	}
	e := fault.AsError(err)
	if reason, ok := e.Details["backendMessage"].(string); ok &&
		(e.Code == fault.EvalFailed || e.Code == fault.SyntaxError) {
		e.Message = it.name + " was not changed: " + tracepoints.ErrorText(reason)
		e.With("name", it.name).With("value", value).With("type", it.Type).With("currentValue", it.Value)
	}
	return dap.SetVariableResponseBody{}, e
}

// assignByExpression assigns values that the adapter only accepts in an assignment of the language. refused is the
// adapter's error.
func (v *View) assignByExpression(it item, value string, refused error) (dap.SetVariableResponseBody, error) {
	e := v.assignError(it, value, refused)
	if fault.CodeOf(e) != fault.EvalFailed || strings.TrimSpace(value) == "" {
		return dap.SetVariableResponseBody{}, e
	}
	body, err := v.evaluate(v.Here, it.path+" = ("+value+")", evaluateTimeout)
	if err == nil {
		return dap.SetVariableResponseBody{Value: body.Result, Type: it.Type,
			VariablesReference: body.VariablesReference}, nil
	}
	if fault.CodeOf(err) != fault.EvalFailed && fault.CodeOf(err) != fault.SyntaxError {
		return dap.SetVariableResponseBody{}, err
	}
	if reason, ok := fault.AsError(err).Details["backendMessage"].(string); ok {
		failed := fault.AsError(e)
		failed.Message = it.name + " was not changed: " + strings.TrimSpace(strings.TrimPrefix(reason, "error: "))
		failed.With("backendMessage", reason)
	}
	return dap.SetVariableResponseBody{}, e
}

var plainNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-?\d+(\.\d+)?([eE][-+]?\d+)?$`)
})

// Suffixed adds the suffix of a type to a number, where C# would convert it but netcoredbg does not.
func Suffixed(typ, value string, l dapclient.Language) string {
	value = strings.TrimSpace(value)
	if l != dapclient.DotNet || !plainNumber().MatchString(value) {
		return value
	}
	switch strings.TrimSuffix(typ, "?") {
	case "float":
		return value + "f"
	case "decimal":
		return value + "m"
	}
	return value
}

// assignError explains a refused assignment. netcoredbg often gives no reason.
func (v *View) assignError(it item, value string, err error) error {
	e := fault.AsError(v.Debugger.Failed(err, it.name+" = "+value))
	if e.Code != fault.Internal {
		return e
	}
	reason, _ := e.Details["backendMessage"].(string)
	e.Code = fault.EvalFailed
	e.With("name", it.name).With("value", value).With("type", it.Type).With("currentValue", it.Value)
	if v.Profile.Language == dapclient.DotNet {
		switch {
		case value == "null":
			e.Message = it.name + " was not changed: netcoredbg cannot assign null; assign another variable that is null"
		case unexplained(reason) || strings.HasPrefix(reason, "error: 0x8"):
			e.Message = it.name + " was not changed: " + value + " is not a value of type " + it.Type +
				" (netcoredbg gave no reason); it converts nothing: write a literal of exactly that type"
			if strings.HasSuffix(it.Type, "?") {
				e.Message += "; a nullable takes a variable or a static field of that type, and null"
			}
			if isEnumValue(it) {
				e.Message = it.name + " was not changed: it is an enum; write one of its names, as in " +
					it.Type[strings.LastIndexByte(it.Type, '.')+1:] + "." + firstWord(it.Value)
			}
		default:
			e.Message = it.name + " was not changed: " + strings.TrimPrefix(reason, "error: ")
			if strings.Contains(reason, "cannot be assigned") {
				e.Message += "; properties and elements behind an indexer cannot be set: set the field behind it"
			}
			if strings.Contains(reason, "does not exist") {
				e.Message += "; write texts in double quotes, types with their namespace"
			}
		}
		if isTuple(it.Type) {
			e.Message += "; set its items, as in " + it.name + ".Item1"
		}
		return e
	}
	if unexplained(reason) {
		reason = "the debugger gave no reason; check that " + value + " is a value of type " + it.Type
	}
	e.Message = it.name + " was not changed: " + reason
	return e
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// unexplained reports whether the debugger gave no reason for a refusal.
func unexplained(reason string) bool { return reason == "" || reason == "the debugger gave no reason" }

// SetVariable changes a variable. It returns the variable with its new value, and the previous value.
func (v *View) SetVariable(q SetQuery) (after Variable, previous string, err error) {
	if err = v.choose(q.Thread, q.Frame); err != nil {
		return Variable{}, "", err
	}
	if err := v.refuseOld(q.Path, "give the variable of this frame as name"); err != nil {
		return Variable{}, "", err
	}
	it, err := v.settable(cmp.Or(q.Path, q.Name))
	if err != nil {
		return Variable{}, "", err
	}
	return v.setTo(it, q.Value)
}

// setTo is SetVariable of a variable that was found.
func (v *View) setTo(it item, value string) (after Variable, previous string, err error) {
	before, raw := v.show(it), it.Value
	set, err := v.assign(it, value)
	if err != nil {
		return Variable{}, "", err
	}
	v.Cache.forget()
	v.kids = nil
	it.Value, it.VariablesReference = set.Value, set.VariablesReference
	if set.Type != "" {
		it.Type = set.Type
	}
	if !v.Replayed { // a recording would answer as before
		// Some adapters only return the value that was sent.
		body, err := v.evaluate(v.Here, it.path, evaluateTimeout)
		if err == nil && ThrownBy(v.Profile.Language, it.path, body) == "" {
			if why := v.values().unchanged(it, raw); why != "" && body.Result == raw && set.Value != raw && set.Value != "" {
				return Variable{}, "", fault.Errorf(fault.EvalFailed, "%s was not changed: %s", it.path, why).
					With("name", it.name).With("value", value).With("type", it.Type).With("currentValue", before.Value)
			}
			it.node = evaluatedNode(it.path, body)
		}
	}
	return v.show(it), before.Value, nil
}
