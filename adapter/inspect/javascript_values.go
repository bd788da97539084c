package inspect

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"breakwire/adapter/fault"
	"breakwire/dapclient"
	"breakwire/mapping"
	"breakwire/mapping/expression"

	"github.com/google/go-dap"
)

// js-debug lists members by name, with those of the engine among them. It pages arrays, but not Maps and Sets, and
// shows an entry of those as one more object. A getter runs when it is expanded.

// javascriptPart is how many entries of a Map or Set one request reads.
const javascriptPart = 200

const closure = "closure"

// javascriptValues are those of js-debug.
type javascriptValues struct{ plainValues }

func (javascriptValues) named(it, parent *item) bool {
	if hiddenJavaScript(it.Variable, parent) {
		return false
	}
	javascriptName(it, parent)
	return true
}

func (javascriptValues) children(v *View, it item) (listing, error) { return v.javascriptChildren(it) }

func (javascriptValues) show(v *View, it item, out *Variable) { v.showJavaScript(it, out) }

func (javascriptValues) isText(n node) bool { return n.Type == "string" }

func (javascriptValues) pieces(v *View, it item) (listing, error) {
	return v.slices(it, it.path+".length", func(from, to string) string {
		return it.path + ".slice(" + from + "," + to + ")"
	})
}

// find finds a getter as one, whether its object was listed or not.
func (javascriptValues) find(v *View, path string) (item, bool, error) {
	if !strings.Contains(path, ".") {
		return item{}, false, nil
	}
	it, err := v.walk(path)
	return it, err == nil, nil
}

func (javascriptValues) keeps(n node, path string) bool {
	return n.VariablesReference > 0 || !strings.Contains(path, ".")
}

func (javascriptValues) assign(v *View, it item, value string) (dap.SetVariableResponseBody, error) {
	switch {
	case it.path == "this":
		return dap.SetVariableResponseBody{}, fault.Errorf(fault.EvalFailed, "this was not changed: JavaScript does not "+
			"assign it; set a member, as in this.name").With("name", it.name).With("currentValue", it.Value)
	case it.container != 0 && it.isRenamed():
		// js-debug sets the name of the source, which is no variable, and says that it did.
		return v.assignByExpression(it, value, errors.New("it has another name in the compiled code"))
	}
	return v.assigned(it, value)
}

func (javascriptValues) unchanged(_ item, value string) string { return "it still is " + value }

// isGetter reports whether a value is a member that a function computes.
func isGetter(x dap.Variable) bool { return x.PresentationHint != nil && x.PresentationHint.Lazy }

// hiddenJavaScript reports whether a member is not shown. The prototype of a class or a function is: it has the
// methods.
func hiddenJavaScript(x dap.Variable, parent *item) bool {
	if parent == nil {
		return mapping.JavaScriptInternal(x.Name)
	}
	if kind, _ := mapping.JavaScriptCollection(parent.Value, parent.Type); kind != "" {
		internal := x.PresentationHint != nil && x.PresentationHint.Visibility == "internal"
		return internal || isGetter(x) || strings.HasPrefix(x.Name, "Symbol(Symbol.") || x.Name == "length" ||
			x.Name == "size" || x.Name == "callee"
	}
	return mapping.JavaScriptInternal(x.Name) || parent.Type == "Function" && (x.Name == "arguments" || x.Name == "caller")
}

// javascriptName sets the name and the path of a member: that of an array by its index, and of a private field.
func javascriptName(it *item, parent *item) {
	if parent == nil {
		return
	}
	if kind, _ := mapping.JavaScriptCollection(parent.Value, parent.Type); kind == mapping.List || kind == mapping.Array {
		if _, err := strconv.Atoi(it.name); err == nil {
			it.name = "[" + it.name + "]"
		}
	}
	if strings.HasPrefix(it.name, "#") {
		it.path = parent.path + "." + it.name
	}
}

// javascriptScope returns the kind of a scope: the function's own, or one around it.
func javascriptScope(sc dap.Scope) string {
	for _, outer := range []string{"Closure", "Module", "Script"} {
		if strings.HasPrefix(sc.Name, outer) {
			return closure
		}
	}
	return ""
}

// moduleNames are what Node gives each module.
var moduleNames = []string{"__dirname", "__filename", "exports", "module", "require"}

// worthLocals leaves out what a stop need not show of JavaScript: functions and classes of the scopes around, and what
// Node gives each module.
func worthLocals(items []item) []item {
	atTop := !slices.ContainsFunc(moduleNames, func(name string) bool { return !hasNamed(items, name) })
	return slices.DeleteFunc(items, func(it item) bool {
		return it.scope == closure && it.Type == "Function" ||
			atTop && (slices.Contains(moduleNames, it.name) || it.name == "this")
	})
}

// javascriptChildren lists the children of a value.
func (v *View) javascriptChildren(it item) (listing, error) {
	if isGetter(it.Variable) {
		return v.getter(it)
	}
	switch kind, count := mapping.JavaScriptCollection(it.Value, it.Type); kind {
	case mapping.List, mapping.Array:
		return v.javascriptElements(it, count), nil
	case mapping.Dictionary, mapping.Set:
		if l, ok := v.javascriptEntries(it, count); ok {
			return l, nil
		}
	}
	vars, err := v.variables(it.VariablesReference)
	if err != nil {
		return listing{}, err
	}
	items := make([]item, 0, len(vars))
	for _, x := range vars {
		if child, ok := v.named(node{x, it.VariablesReference}, &it); ok {
			items = append(items, child)
		}
	}
	return fixed(items), nil
}

// javascriptChange matches an expression that changes a variable, by an assignment or by ++ and --.
var javascriptChange = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\s*(?:\+\+|--)?\s*)([\pL_$][\pL\d_$]*)(\s*(?:\+\+|--|` +
		`(?:[-+*/%&|^]|\*\*|<<|>>>?|&&|\|\||\?\?)?=[^=>]).*|\s*)$`)
})

// compiledChange returns an expression that changes a variable with the variable's name in the compiled code. js-debug
// evaluates the name of the source as `typeof n !== 'undefined' ? n : count`, in which an assignment is never reached.
func (v *View) compiledChange(expression string) string {
	m := javascriptChange().FindStringSubmatch(expression)
	if m == nil || strings.TrimSpace(m[1]+m[3]) == "" {
		return expression
	}
	if it, ok := v.renamed(m[2]); ok {
		return m[1] + it.path + m[3]
	}
	return expression
}

// renamed returns the variable of the frame with a name in the source that the compiled code calls differently.
func (v *View) renamed(name string) (item, bool) {
	l, err := v.scoped("all")
	if err != nil {
		return item{}, false
	}
	all, err := l.at(0, l.total)
	if i := slices.IndexFunc(all, func(it item) bool { return it.name == name }); err == nil && i >= 0 {
		return all[i], all[i].isRenamed()
	}
	return item{}, false
}

// javascriptVariable matches the name of a variable.
var javascriptVariable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_$][\pL\d_$]*$`) })

// isRenamed reports whether the compiled code has another name for a variable.
func (it item) isRenamed() bool {
	return it.path != it.name && javascriptVariable().MatchString(it.path) &&
		javascriptVariable().MatchString(it.name)
}

// getter runs a getter: its value is the only child.
func (v *View) getter(it item) (listing, error) {
	out := item{name: it.name, scope: it.scope, path: it.path, child: true}
	if expression.Safe(expression.JavaScript, it.path) != nil { // a path of names that the debugger does not read
		vars, err := v.variables(it.VariablesReference)
		if err != nil {
			return listing{}, err
		}
		if len(vars) != 1 {
			out.Value = "<error: the getter failed>"
			return fixed([]item{out}), nil
		}
		out.node = node{vars[0], 0}
		return fixed([]item{out}), nil
	}
	body, err := v.evaluate(v.Here, it.path, evaluateTimeout)
	switch {
	case err == nil:
		out.node = evaluatedNode(it.path, body)
	case fault.CodeOf(err) == fault.EvalFailed:
		reason, _ := fault.AsError(err).Details["backendMessage"].(string)
		out.Value = "threw " + strings.TrimPrefix(reason, "Uncaught ")
	default:
		return listing{}, err
	}
	return fixed([]item{out}), nil
}

// javascriptElements lists an array, or an object like one. What it lacks is shown as empty.
func (v *View) javascriptElements(it item, total int) listing {
	l := listing{total: total, at: func(start, count int) ([]item, error) {
		end := min(start+count, total)
		if start >= end {
			return nil, nil
		}
		vars, err := v.someVariables(dap.VariablesArguments{VariablesReference: it.VariablesReference, Filter: "indexed",
			Start: start, Count: end - start + 1}) // js-debug gives one less
		if err != nil {
			return nil, err
		}
		items := make([]item, end-start)
		for i := range items {
			name := "[" + strconv.Itoa(start+i) + "]"
			items[i] = item{node: node{Variable: dap.Variable{Value: "<empty>"}}, name: name, scope: it.scope,
				path: it.path + name, child: true}
		}
		for _, x := range vars {
			if i, err := strconv.Atoi(x.Name); err == nil && start <= i && i < end {
				items[i-start], _ = v.named(node{x, it.VariablesReference}, &it)
			}
		}
		return items, nil
	}}
	if it.Type != "Array" {
		return l
	}
	vars, err := v.someVariables(dap.VariablesArguments{VariablesReference: it.VariablesReference, Filter: "named"})
	if err != nil {
		return l
	}
	var fields []item
	for _, x := range vars {
		if _, err := strconv.Atoi(x.Name); err == nil { // the filter was ignored
			continue
		}
		if child, ok := v.named(node{x, it.VariablesReference}, &it); ok {
			fields = append(fields, child)
		}
	}
	return joined(fields, l)
}

// kindOfEntries is a function of JavaScript: 2 for a Map, 1 for a Set, with the number of fields of its own.
const kindOfEntries = `(c=>{const n=Object.keys(c).length;try{Map.prototype.keys.call(c);return "2 "+n}catch{}` +
	`try{Set.prototype.values.call(c);return "1 "+n}catch{}return ""})`

// javascriptEntries lists a Map, by its keys, or a Set, in parts. ok is false when the path cannot be evaluated.
func (v *View) javascriptEntries(it item, total int) (listing, bool) {
	if !repeatedPath(it.path) {
		return listing{}, false
	}
	body, err := v.evaluate(v.Here, kindOfEntries+"(("+it.path+"))", evaluateTimeout)
	kind, own, _ := strings.Cut(strings.Trim(body.Result, `'"`), " ")
	if err != nil || kind != "1" && kind != "2" {
		return listing{}, false
	}
	read := func(which string, start, count int) ([]dap.Variable, int, error) {
		text := fmt.Sprintf("[...%s.call((%s))].slice(%d,%d)", which, it.path, start, start+count)
		body, err := v.evaluate(v.Here, text, evaluateTimeout)
		if err != nil || body.VariablesReference == 0 {
			return nil, 0, err
		}
		vars, err := v.someVariables(dap.VariablesArguments{VariablesReference: body.VariablesReference, Filter: "indexed",
			Count: count + 1})
		vars = slices.DeleteFunc(vars, func(x dap.Variable) bool { _, err := strconv.Atoi(x.Name); return err != nil })
		return vars, body.VariablesReference, err
	}
	part := func(start, count int) ([]item, error) {
		which := "Set.prototype.values"
		var keys []dap.Variable
		var err error
		if kind == "2" {
			which = "Map.prototype.values"
			if keys, _, err = read("Map.prototype.keys", start, count); err != nil {
				return nil, err
			}
		}
		vars, _, err := read(which, start, count)
		if err != nil {
			return nil, err
		}
		items := make([]item, 0, len(vars))
		for i, x := range vars {
			at := "[" + strconv.Itoa(start+i) + "]"
			child := item{node: node{Variable: x}, name: at, scope: it.scope, path: "[..." + it.path + ".values()]" + at,
				child: true}
			child.EvaluateName = child.path
			if i < len(keys) {
				child.name = mapping.JavaScriptText(keys[i].Value, keys[i].Type)
				if literalKey(keys[i]) {
					child.path = it.path + ".get(" + child.name + ")"
				}
			}
			items = append(items, child)
		}
		return items, nil
	}
	l := listing{total: total, at: func(start, count int) (items []item, err error) {
		for end := min(start+count, total); start < end; {
			some, err := part(start, min(javascriptPart, end-start))
			if err != nil || len(some) == 0 {
				return items, err
			}
			items = append(items, some...)
			start += len(some)
		}
		return items, nil
	}}
	if own == "0" {
		return l, true
	}
	fields, err := v.ownFields(it)
	return joined(fields, l), err == nil
}

// entryPath is what the path of an entry has, beside names: a call with a literal, or a list of the values.
var entryPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\.get\((?:'[^']*'|"[^"]*"|-?[\w.]+)\)|\.values\(\)\]`)
})

// repeatedPath reports whether a path has no calls but those that lead to an entry of a Map or Set.
func repeatedPath(path string) bool {
	path = entryPath().ReplaceAllStringFunc(path, func(s string) string {
		if strings.HasSuffix(s, "]") {
			return ")"
		}
		return ""
	})
	return expression.Safe(expression.JavaScript, strings.ReplaceAll(path, "[...", "(")) == nil
}

// ownFields lists the fields of an object's own.
func (v *View) ownFields(it item) ([]item, error) {
	body, err := v.evaluate(v.Here, "({...("+it.path+")})", evaluateTimeout)
	if err != nil {
		return nil, err
	}
	vars, err := v.variables(body.VariablesReference)
	if err != nil {
		return nil, err
	}
	var fields []item
	for _, x := range vars {
		if !mapping.JavaScriptInternal(x.Name) {
			fields = append(fields, item{node: node{Variable: x}, name: x.Name, scope: it.scope,
				path:  childPath(it.path, x.Name),
				child: true})
		}
	}
	return fields, nil
}

// literalKey reports whether the text of a key is an expression for it.
func literalKey(key dap.Variable) bool {
	switch key.Type {
	case "number", "boolean", "bigint", "undefined":
		return true
	case "string":
		return !strings.ContainsAny(key.Value, "\\\n\r$")
	}
	return key.Value == "null"
}

// showJavaScript shows a value as a person reads it.
func (v *View) showJavaScript(it item, out *Variable) {
	if isGetter(it.Variable) {
		out.Value, out.Type, out.HasChildren = "(getter)", "", true
		return
	}
	out.Type = mapping.JavaScriptType(it.Value, it.Type)
	out.Value = mapping.JavaScriptText(it.Value, it.Type)
	if kind, count := mapping.JavaScriptCollection(it.Value, it.Type); kind != "" {
		out.ChildCount = count
	}
	if it.Type == "symbol" {
		out.HasChildren = false
	}
	if out.Type == "Date" && mapping.IsJavaScriptDate(it.Value) && it.path != "" && v.mayLook() &&
		expression.Safe(expression.JavaScript, it.path) == nil {
		// js-debug's text has no milliseconds.
		body, err := v.evaluate(v.Here, "Date.prototype.toISOString.call("+it.path+")", evaluateTimeout)
		if err == nil && body.Type == "string" {
			out.Value = strings.Trim(body.Result, `'"`)
		}
	}
}

// settled returns the value of a promise that an expression awaits. While the program is paused nothing can be awaited,
// but a promise may have its result already.
func (v *View) settled(q EvaluateQuery, refused error) (body dap.EvaluateResponseBody, path string, err error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(q.Expression), "await ")
	if !ok || v.Profile.Language != dapclient.JavaScript || fault.CodeOf(refused) != fault.SyntaxError {
		return body, "", refused
	}
	body, err = v.evaluate(v.Here, rest, q.Timeout)
	if err != nil {
		return body, "", err
	}
	kids, _ := v.fields(evaluatedNode(rest, body))
	state, ok := childNamed(kids, "[[PromiseState]]", 0)
	if !ok {
		return body, rest, nil // no promise: it is its own value
	}
	result, _ := childNamed(kids, "[[PromiseResult]]", 0)
	switch strings.Trim(state.Value, `'"`) {
	case "fulfilled":
		return dap.EvaluateResponseBody{Result: result.Value, Type: result.Type,
			VariablesReference: result.VariablesReference, IndexedVariables: result.IndexedVariables,
			NamedVariables: result.NamedVariables}, rest + `["[[PromiseResult]]"]`, nil
	case "rejected":
		text := mapping.JavaScriptText(result.Value, result.Type)
		return body, "", fault.Errorf(fault.EvalFailed, "%s: the promise is rejected: %s", q.Expression, text).
			With("expression", q.Expression).With("backendMessage", text)
	}
	return body, "", fault.Errorf(fault.EvalFailed, "%s: the promise is pending, and nothing goes on while the "+
		"program is paused; keep it in a variable of the program, continue, and evaluate it at a later stop", q.Expression).
		With("expression", q.Expression)
}
