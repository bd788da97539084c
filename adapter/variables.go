package adapter

import (
	"context"
	"slices"
	"strings"

	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// Variable is one named value.
type Variable struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Value       string `json:"value"`
	Scope       string `json:"scope"` // local, argument, this, global, register
	HasChildren bool   `json:"hasChildren"`
	ChildCount  int    `json:"childCount,omitempty"`
	Path        string `json:"path"` // what expand takes
	Truncated   bool   `json:"truncated,omitempty"`
}

// maxValue is how many characters of a value are shown.
const maxValue = 1024

// VariablesQuery says which variables are wanted.
type VariablesQuery struct {
	Thread, Frame int
	Scope         string // all, locals, arguments, this, globals
	Expand        string // a path: its children instead
	Start, Count  int
	Names         []string
}

// VariablesPage is a part of the variables. Next is 0 at the end.
type VariablesPage struct {
	Variables []Variable
	Total     int
	Next      int
}

// Variables reads the variables of a frame, or the children of one.
func (s *Session) Variables(ctx context.Context, q VariablesQuery) (VariablesPage, error) {
	v, end, err := s.view(ctx)
	if err != nil {
		return VariablesPage{}, err
	}
	defer end()
	frame, err := v.frame(q.Thread, q.Frame)
	if err != nil {
		return VariablesPage{}, err
	}
	var all []Variable
	if q.Expand != "" {
		all, err = v.children(frame, q.Expand)
	} else {
		all, err = v.scoped(frame, q.Scope)
	}
	if err != nil {
		return VariablesPage{}, err
	}
	if len(q.Names) > 0 {
		if all, err = named(all, q.Names); err != nil {
			return VariablesPage{}, err
		}
	}
	return page(all, q.Start, q.Count), nil
}

func page(all []Variable, start, count int) VariablesPage {
	p := VariablesPage{Total: len(all), Variables: []Variable{}}
	if start < len(all) {
		stop := min(start+count, len(all))
		p.Variables = all[start:stop]
		if stop < len(all) {
			p.Next = stop
		}
	}
	return p
}

// named picks variables by name; one that is not there is an error that names what is.
func named(all []Variable, names []string) ([]Variable, error) {
	out := make([]Variable, 0, len(names))
	for _, name := range names {
		i := slices.IndexFunc(all, func(v Variable) bool { return v.Name == name || v.Path == name })
		if i < 0 {
			known := make([]string, 0, len(all))
			for _, v := range all {
				known = append(known, v.Name)
			}
			return nil, Errorf(VariableNotFound, "there is no variable %s here; there are %s", name, mapping.Clip(strings.Join(known, ", "), 500)).
				With("name", name).With("known", known)
		}
		out = append(out, all[i])
	}
	return out, nil
}

// scoped reads the variables of a frame's scopes.
func (v *view) scoped(frame dap.StackFrame, scope string) ([]Variable, error) {
	m, err := v.call(callTimeout, "scopes", dap.ScopesArguments{FrameId: frame.Id})
	if err != nil {
		return nil, backendError(err, "the variables could not be read", v.s)
	}
	body, err := dapclient.DecodeBody[dap.ScopesResponseBody](m)
	if err != nil {
		return nil, backendError(err, "the variables could not be read", v.s)
	}
	var out []Variable
	for _, sc := range body.Scopes {
		kind := scopeKind(sc)
		if !scopeWanted(kind, scope) || sc.VariablesReference == 0 {
			continue
		}
		vars, err := v.variables(sc.VariablesReference)
		if err != nil {
			return nil, err
		}
		for _, x := range vars {
			shown := v.shown(x, kind, "")
			if scope == "this" && shown.Scope != "this" || scope == "locals" && shown.Scope != "local" || scope == "arguments" && shown.Scope != "argument" && kind != "local" {
				continue
			}
			out = append(out, shown)
		}
	}
	return out, nil
}

// scopeKind reads the kind of a scope from its hint, else its name.
func scopeKind(sc dap.Scope) string {
	name := strings.ToLower(sc.Name)
	switch {
	case sc.PresentationHint == "registers" || strings.Contains(name, "register"):
		return "register"
	case sc.PresentationHint == "arguments" || strings.Contains(name, "argument"):
		return "argument"
	case strings.Contains(name, "global"):
		return "global"
	}
	return "local"
}

func scopeWanted(kind, scope string) bool {
	switch scope {
	case "globals":
		return kind == "global"
	case "arguments":
		return kind == "argument" || kind == "local"
	case "locals", "this":
		return kind == "local"
	}
	return kind == "local" || kind == "argument"
}

func (v *view) variables(reference int) ([]dap.Variable, error) {
	m, err := v.call(callTimeout, "variables", dap.VariablesArguments{VariablesReference: reference})
	if err != nil {
		return nil, backendError(err, "the variables could not be read", v.s)
	}
	body, err := dapclient.DecodeBody[dap.VariablesResponseBody](m)
	if err != nil {
		return nil, backendError(err, "the variables could not be read", v.s)
	}
	return body.Variables, nil
}

// shown is a variable in the contract's form.
func (v *view) shown(x dap.Variable, scope, parent string) Variable {
	out := Variable{
		Name: x.Name, Type: x.Type, Scope: scope, HasChildren: x.VariablesReference > 0,
		ChildCount: x.IndexedVariables + x.NamedVariables, Path: x.EvaluateName,
	}
	if v.s.profile.Language == dapclient.DotNet {
		out.ChildCount = x.IndexedVariables // its namedVariables cannot be trusted
	}
	out.Value, out.Truncated = mapping.Truncate(x.Value)
	if x.Name == "this" || x.Name == "self" {
		out.Scope = "this"
	}
	if out.Path == "" {
		out.Path = childPath(parent, x.Name)
	}
	return out
}

// childPath names a child that the backend gave no expression for.
func childPath(parent, name string) string {
	switch {
	case parent == "":
		return name
	case strings.HasPrefix(name, "["):
		return parent + name
	}
	return parent + "." + name
}

// children reads the children of a path.
func (v *view) children(frame dap.StackFrame, path string) ([]Variable, error) {
	reference, err := v.reference(frame, path)
	if err != nil {
		return nil, err
	}
	if reference == 0 {
		return []Variable{}, nil
	}
	vars, err := v.variables(reference)
	if err != nil {
		return nil, err
	}
	out := make([]Variable, len(vars))
	for i, x := range vars {
		out[i] = v.shown(x, "local", path)
	}
	return out, nil
}

// reference finds what a path refers to: by walking the names that variables_get showed, else by evaluation.
func (v *view) reference(frame dap.StackFrame, path string) (int, error) {
	m, err := v.call(callTimeout, "evaluate", dapclient.EvaluateArguments{Expression: path, FrameID: &frame.Id, Context: "watch"})
	if err == nil {
		body, err := dapclient.DecodeBody[dap.EvaluateResponseBody](m)
		if err == nil {
			return body.VariablesReference, nil
		}
	}
	level, werr := v.scoped(frame, "all")
	if werr != nil {
		return 0, werr
	}
	for _, x := range level {
		if x.Path == path || x.Name == path {
			return 0, nil
		}
	}
	e := Errorf(VariableNotFound, "%s cannot be expanded here: %s; variables_get without expand shows what there is", path, explained(err)).With("path", path)
	return 0, e
}
