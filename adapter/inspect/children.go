package inspect

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"breakwire/adapter/fault"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// named sets the name, path and scope of a value. parent is nil for the variables of a scope. ok is false for values
// that are not shown: those of the compiler or the debugger.
func (v *View) named(n node, parent *item) (it item, ok bool) {
	it = item{node: n, name: n.Name, scope: "local", path: n.EvaluateName}
	base := ""
	if parent != nil {
		it.child, it.scope, base = true, parent.scope, parent.path
	}
	if !v.values().named(&it, parent) {
		return item{}, false
	}
	if it.path == "" {
		it.path = childPath(base, it.name)
	}
	return it, true
}

// childPath returns a path for a child without an evaluateName (DAP, Variable).
func childPath(parent, name string) string {
	switch {
	case parent == "":
		return name
	case strings.HasPrefix(name, "["):
		return parent + name
	}
	return parent + "." + name
}

// expand lists the children of a path.
func (v *View) expand(path string) (listing, error) {
	if err := v.refuseOld(path, "evaluate "+path); err != nil {
		return listing{}, err
	}
	it, err := v.resolve(path)
	if err != nil {
		return listing{}, err
	}
	return v.children(it)
}

// refuseOld returns an error for a path of an earlier stop, which may have named the variable of another function.
func (v *View) refuseOld(path, instead string) error {
	if !v.Cache.places.isOld(v.seq(), path) {
		return nil
	}
	return fault.Errorf(fault.InvalidParameter,
		"the path %s is of an earlier stop, and paths end when the program goes on; "+
			"list the variables of this stop with variables_get, or %s", mapping.Clip(path, 200), mapping.Clip(instead, 200)).
		With("path", path).With("sessionId", v.Session)
}

// resolve finds the value of a path: as shown before at this stop, else by evaluation, else by walking the names.
func (v *View) resolve(path string) (item, error) {
	if n, ok := v.Cache.places.get(v.Epoch, v.Here.Id, path); ok && v.values().keeps(n, path) {
		return v.placed(n, path), nil
	}
	if it, ok, err := v.values().find(v, path); ok || err != nil {
		return it, err
	}
	// A path only reads: variables_get is annotated as read-only, so a path with a call is refused.
	var body dap.EvaluateResponseBody
	err := v.refusePath(path)
	if err == nil {
		body, err = v.evaluate(v.Here, path, evaluateTimeout)
		if err == nil && ThrownBy(v.Profile.Language, path, body) == "" {
			return v.placed(v.values().counted(evaluatedNode(path, body)), path), nil
		}
	}
	if err != nil && (fault.CodeOf(err) == fault.EvalTimeout || fault.CodeOf(err) == fault.Cancelled ||
		fault.CodeOf(err) == fault.BackendExited) {
		return item{}, err
	}
	it, werr := v.walk(path)
	if werr == nil {
		return it, nil
	}
	if fault.CodeOf(werr) != fault.VariableNotFound {
		return item{}, werr
	}
	if fault.CodeOf(err) == fault.EvalRejected {
		return item{}, err
	}
	e := fault.AsError(werr)
	e.With("path", path)
	var failed *fault.Error
	if errors.As(err, &failed) && failed.Details["backendMessage"] != nil {
		e.With("backendMessage", failed.Details["backendMessage"])
	}
	return item{}, e
}

func (v *View) placed(n node, path string) item {
	it, _ := v.named(n, nil)
	it.node, it.path, it.child = n, path, true
	return it
}

// evaluatedNode returns the result of an evaluation as if it were a variable.
func evaluatedNode(path string, body dap.EvaluateResponseBody) node {
	return node{Variable: dap.Variable{
		Name: path, EvaluateName: path, Value: body.Result, Type: body.Type, VariablesReference: body.VariablesReference,
		NamedVariables: body.NamedVariables, IndexedVariables: body.IndexedVariables,
	}}
}

// walk finds a path by the names that variables_get shows, level by level.
func (v *View) walk(path string) (item, error) {
	l, err := v.scoped("all")
	if err != nil {
		return item{}, err
	}
	top, err := l.at(0, l.total)
	if err != nil {
		return item{}, err
	}
	level := top
	for range 20 {
		best := -1
		for i, it := range level {
			if it.path == path || it.name == path {
				return it, nil
			}
			if within(path, it.path) && (best < 0 || len(it.path) > len(level[best].path)) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		l, err := v.children(level[best])
		if err != nil {
			return item{}, err
		}
		if level, err = l.at(0, min(l.total, 1000)); err != nil {
			return item{}, err
		}
	}
	return item{}, unknownVariable(path, top)
}

// within reports whether path leads through another path.
func within(path, through string) bool {
	return len(path) > len(through) && strings.HasPrefix(path, through) &&
		(path[len(through)] == '.' || path[len(through)] == '[' || strings.HasPrefix(path[len(through):], "->"))
}

// children lists the children of a value.
func (v *View) children(it item) (listing, error) {
	if v.isText(it.node) {
		return v.pieces(it)
	}
	if it.VariablesReference == 0 {
		if inner, ok := v.valueOf(it.node); ok {
			it.node = inner
			return v.children(it)
		}
		return fixed(nil), nil
	}
	return v.values().children(v, it)
}

// listed reads the children of a value and lists those that are shown.
func (v *View) listed(it item) (listing, error) {
	vars, err := v.variables(it.VariablesReference)
	if err != nil {
		return listing{}, err
	}
	return fixed(v.shownOf(it, vars)), nil
}

// shownOf returns the children of a value that are shown.
func (v *View) shownOf(it item, vars []dap.Variable) []item {
	items := make([]item, 0, len(vars))
	for _, x := range vars {
		if child, ok := v.named(node{x, it.VariablesReference}, &it); ok {
			items = append(items, child)
		}
	}
	return items
}

// paged is a listing that the debugger reads in parts.
func (v *View) paged(it item, total int, filter string) listing {
	return listing{total: total, at: func(start, count int) ([]item, error) {
		vars, err := v.someVariables(dap.VariablesArguments{VariablesReference: it.VariablesReference, Filter: filter,
			Start: start, Count: count})
		if err != nil {
			return nil, err
		}
		if len(vars) > count { // start and count were ignored
			vars = vars[min(start, len(vars)):min(start+count, len(vars))]
		}
		items := make([]item, 0, len(vars))
		for _, x := range vars {
			child, ok := v.named(node{x, it.VariablesReference}, &it)
			if !ok {
				child = item{node: node{x, it.VariablesReference}, name: x.Name, scope: it.scope,
					path: childPath(it.path, x.Name), child: true}
			}
			items = append(items, child)
		}
		return items, nil
	}}
}

// pieces lists a text in parts of at most maxValue characters.
func (v *View) pieces(it item) (listing, error) { return v.values().pieces(v, it) }

// isText reports whether a value is a text of which only a part is shown.
func (v *View) isText(n node) bool { return v.values().isText(n) }

// slices lists a text in parts. count is the expression of its length, cut that of a part.
func (v *View) slices(it item, count string, cut func(from, to string) string) (listing, error) {
	body, err := v.evaluate(v.Here, count, evaluateTimeout)
	if err != nil {
		return listing{}, err
	}
	length, err := strconv.Atoi(body.Result)
	if err != nil {
		return listing{}, fault.Errorf(fault.EvalFailed, "the length of %s is %s", it.path, body.Result)
	}
	const part = 500 // characters that Delve shows at once
	return listing{total: (length + part - 1) / part, at: func(start, count int) ([]item, error) {
		var items []item
		for i := start; i < start+count; i++ {
			from, to := i*part, min((i+1)*part, length)
			body, err := v.evaluate(v.Here, cut(strconv.Itoa(from), strconv.Itoa(to)), evaluateTimeout)
			if err != nil {
				return nil, err
			}
			items = append(items, pieceOf(it, from, to, body.Result))
		}
		return items, nil
	}}, nil
}

func pieceOf(it item, from, to int, value string) item {
	name := "[" + strconv.Itoa(from) + ".." + strconv.Itoa(to) + "]"
	return item{
		node: node{Variable: dap.Variable{Name: name, Type: it.Type, Value: value}}, name: name, scope: it.scope,
		path: it.path + name, child: true,
	}
}

// MaxValue is the number of characters of a value that are shown.
const MaxValue = mapping.MaxValue

// show returns a value in the form of docs/contract.md.
func (v *View) show(it item) Variable {
	out := Variable{
		Name: it.name, Type: it.Type, Scope: it.scope, HasChildren: it.VariablesReference > 0,
		ChildCount: it.IndexedVariables + it.NamedVariables, Path: it.path, Value: it.Value,
	}
	unread := v.unread
	if it.path != "" && !v.plain {
		v.Cache.places.put(v.Epoch, v.seq(), v.Here.Id, it.path, it.node)
	}
	v.values().show(v, it, &out)
	if v.unread > unread {
		out.Truncated = true // as the debugger shows it: there was no time to read the rest
	}
	if cut, was := mapping.Truncate(out.Value); was {
		out.Value, out.Truncated = cut, true
		if v.isText(it.node) {
			out.HasChildren = true // its pieces
		}
	}
	return out
}

// field returns a field of a value: by evaluation, which runs no code of the program, else among its children.
func (v *View) field(n node, name string) (node, bool) {
	if !v.mayLook() {
		return node{}, false
	}
	if kids, ok := v.kids[n.VariablesReference]; ok {
		return childNamed(kids, name, n.VariablesReference)
	}
	if n.EvaluateName != "" && !v.noFields {
		body, err := v.evaluate(v.Here, n.EvaluateName+"."+name, evaluateTimeout)
		if err == nil && ThrownBy(v.Profile.Language, name, body) == "" {
			return evaluatedNode(n.EvaluateName+"."+name, body), true
		}
		if err != nil && fault.CodeOf(err) != fault.EvalFailed && fault.CodeOf(err) != fault.SyntaxError {
			return node{}, false
		}
		v.noFields = true // probably a recording: do not try it for every value
	}
	kids, ok := v.fields(n)
	if !ok {
		return node{}, false
	}
	return childNamed(kids, name, n.VariablesReference)
}

// fields reads all children of a value, once in a call.
func (v *View) fields(n node) ([]dap.Variable, bool) {
	if n.VariablesReference == 0 || !v.mayLook() {
		return nil, false
	}
	if kids, ok := v.kids[n.VariablesReference]; ok {
		return kids, true
	}
	kids, err := v.variables(n.VariablesReference)
	if err != nil {
		return nil, false
	}
	if v.kids == nil {
		v.kids = map[int][]dap.Variable{}
	}
	v.kids[n.VariablesReference] = kids
	return kids, true
}

func childNamed(kids []dap.Variable, name string, container int) (node, bool) {
	i := slices.IndexFunc(kids, func(x dap.Variable) bool { return x.Name == name })
	if i < 0 {
		return node{}, false
	}
	return node{kids[i], container}, true
}

// mayLook reports whether there is time left for questions that only make values easier to read.
func (v *View) mayLook() bool {
	if v.plain {
		return false
	}
	if v.lookUntil.IsZero() {
		v.lookUntil = time.Now().Add(lookBudget)
	}
	if time.Now().Before(v.lookUntil) {
		return true
	}
	v.unread++
	return false
}
