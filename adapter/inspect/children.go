package inspect

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/fault"
	"breakwire/dapclient"
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
	switch v.Profile.Language {
	case dapclient.DotNet:
		hidden := false
		if it.name, hidden = mapping.LogicalVariable(n.Name); hidden || hiddenDotnet(n, parent) {
			return item{}, false
		}
	case dapclient.Python:
		switch n.Name {
		case "special variables", "function variables", "class variables", "protected variables", "len()":
			return item{}, false
		}
		if parent != nil && pythonRest(n.Variable) || parent == nil && strings.HasPrefix(n.Name, "(return) ") {
			return item{}, false // the stop has a value that was returned
		}
		it.name = pythonName(n.Name, parent)
	case dapclient.JavaScript:
		if hiddenJavaScript(n.Variable, parent) {
			return item{}, false
		}
		javascriptName(&it, parent)
	case dapclient.Go:
		if n.Name == "len()" || parent == nil && strings.HasPrefix(n.Name, "~r") {
			return item{}, false // ~r0 is a result without a name: the function sets it when it returns
		}
		if n.Name == "" {
			it.name = "*"
		}
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
	member := v.Profile.Language == dapclient.JavaScript && strings.Contains(path, ".")
	if n, ok := v.Cache.places.get(v.Epoch, v.Here.Id, path); ok && (n.VariablesReference > 0 || !member) {
		return v.placed(n, path), nil
	}
	if base, ok := strings.CutSuffix(path, staticSuffix); ok && v.Profile.Language == dapclient.DotNet {
		return v.statics(base)
	}
	if member { // a getter is found as one, whether its object was listed or not, and again
		if it, err := v.walk(path); err == nil {
			return it, nil
		}
	}
	// A path only reads: variables_get is annotated as read-only, so a path with a call is refused.
	var body dap.EvaluateResponseBody
	err := v.refusePath(path)
	if err == nil {
		body, err = v.evaluate(v.Here, path, evaluateTimeout)
		if err == nil && ThrownBy(v.Profile.Language, path, body) == "" {
			return v.placed(v.counted(evaluatedNode(path, body)), path), nil
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

// counted sets the number of a container's elements, where the debugger gives it for variables but not for evaluations.
func (v *View) counted(n node) node {
	if v.Profile.Language == dapclient.C && n.IndexedVariables == 0 && n.VariablesReference > 0 {
		n.IndexedVariables = mapping.SizeText(n.Value, n.Type)
	}
	return n
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
	if v.Profile.Language == dapclient.JavaScript {
		return v.javascriptChildren(it)
	}
	if v.Profile.Language == dapclient.DotNet {
		if _, count, ok := mapping.ArrayText(it.Value); ok {
			return v.paged(it, count, ""), nil
		}
		if l, ok, err := v.elements(it); ok || err != nil {
			return l, err
		}
	} else if it.IndexedVariables > batch {
		// The debugger pages indexed children. Named ones (a length) come first.
		return v.paged(it, it.IndexedVariables, "indexed"), nil
	}
	vars, err := v.variables(it.VariablesReference)
	if err != nil {
		return listing{}, err
	}
	if len(vars) == 1 && vars[0].Name == "" && vars[0].VariablesReference > 0 && v.Profile.Language == dapclient.Go {
		// A pointer: show what it points to.
		if inner, ok := v.named(node{vars[0], it.VariablesReference}, &it); ok {
			return v.children(inner)
		}
	}
	if v.Profile.Language == dapclient.Python {
		return v.pythonChildren(it, vars), nil
	}
	items := make([]item, 0, len(vars))
	for _, x := range vars {
		if child, ok := v.named(node{x, it.VariablesReference}, &it); ok {
			items = append(items, child)
		}
	}
	l := fixed(items)
	if len(items) > 0 && items[0].name == "string()" && v.Profile.Language == dapclient.Go { // bytes and runes, as text
		l.lead = 1
	}
	return l, nil
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

// moreText is how Delve says that it left out the rest of a text.
var moreText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.\.\.\+(\d+) more"?$`) })

// isText reports whether a value is a text of which only a part is shown.
func (v *View) isText(n node) bool {
	switch v.Profile.Language {
	case dapclient.DotNet:
		return n.Type == "string" && strings.HasPrefix(n.Value, `"`)
	case dapclient.Go:
		return n.Type == "string" && n.VariablesReference == 0
	case dapclient.Python:
		return n.Type == "str"
	case dapclient.JavaScript:
		return n.Type == "string"
	}
	return false
}

// pieces lists a text in parts of at most maxValue characters.
func (v *View) pieces(it item) (listing, error) {
	switch v.Profile.Language {
	case dapclient.DotNet:
		whole := it.Value
		if rest, ok := v.afterNul(it.node); ok {
			whole = mapping.JoinQuoted(whole, `\0`, rest)
		}
		parts := mapping.Pieces(whole, MaxValue-2) // they fit with their quotes
		items := make([]item, len(parts))
		from := 0
		for i, p := range parts {
			n := mapping.UTF16Length(p)
			items[i] = pieceOf(it, from, from+n, p)
			from += n
		}
		return fixed(items), nil
	case dapclient.Go, dapclient.Python, dapclient.JavaScript:
		if v.Profile.Language == dapclient.Go && !moreText().MatchString(it.Value) {
			return fixed(nil), nil
		}
		count := "len(" + it.path + ")"
		cut := func(from, to string) string { return it.path + "[" + from + ":" + to + "]" }
		switch v.Profile.Language {
		case dapclient.Python:
			count = builtin + count
		case dapclient.JavaScript:
			count = it.path + ".length"
			cut = func(from, to string) string { return it.path + ".slice(" + from + "," + to + ")" }
		}
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
	return fixed(nil), nil
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
	switch v.Profile.Language {
	case dapclient.DotNet:
		v.showDotnet(it, &out)
	case dapclient.Python:
		if threw, ok := pythonThrew(it.Value); ok && it.child && it.Type == "str" {
			out.Value = threw
		}
	case dapclient.C:
		v.showNative(it, &out)
	case dapclient.JavaScript:
		v.showJavaScript(it, &out)
	case dapclient.Go:
		if it.IndexedVariables > 0 {
			out.ChildCount = it.IndexedVariables // the named child is len()
		}
		if key, value, ok := strings.Cut(it.Type, ": "); ok && it.child && key != "" {
			out.Type = value // of a map's element
		}
		if m := moreText().FindStringSubmatchIndex(out.Value); m != nil && out.Type == "string" {
			out.Value, out.Truncated, out.HasChildren = out.Value[:m[0]], true, true
		}
		if text, ok := mapping.GoText(out.Value, out.Type); ok {
			out.Value = text
		}
	}
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
