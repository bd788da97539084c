package inspect

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"breakwire/adapter/dotnet/interpreter"
	"breakwire/adapter/fault"
	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// Readable values of .NET. netcoredbg shows fields. breakwire uses what the listing already has and reads other fields
// by evaluation, which runs no code of the program.

const staticMembers = "Static members" // netcoredbg's own child of every object

// dotnetValues are those of netcoredbg.
type dotnetValues struct{ plainValues }

func (dotnetValues) named(it, parent *item) bool {
	hidden := false
	it.name, hidden = mapping.LogicalVariable(it.name)
	return !hidden && !hiddenDotnet(it.node, parent)
}

func (dotnetValues) children(v *View, it item) (listing, error) {
	if _, count, ok := mapping.ArrayText(it.Value); ok {
		return v.paged(it, count, ""), nil
	}
	if l, ok, err := v.elements(it); ok || err != nil {
		return l, err
	}
	return v.listed(it)
}

func (dotnetValues) show(v *View, it item, out *Variable) { v.showDotnet(it, out) }

func (dotnetValues) isText(n node) bool { return n.Type == "string" && strings.HasPrefix(n.Value, `"`) }

func (dotnetValues) pieces(v *View, it item) (listing, error) {
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
}

func (dotnetValues) find(v *View, path string) (it item, ok bool, err error) {
	base, ok := strings.CutSuffix(path, staticSuffix)
	if ok {
		it, err = v.statics(base)
	}
	return it, ok, err
}

// assign sets properties by their setters, and values that netcoredbg cannot assign as breakwire computes them.
func (dotnetValues) assign(v *View, it item, value string) (dap.SetVariableResponseBody, error) {
	set, ok, err := v.setProperty(it, value)
	if err != nil {
		return set, fault.Errorf(fault.EvalFailed, "%s was not changed: %v", it.name, err).With("name", it.name).
			With("value", value).With("type", it.Type).With("currentValue", it.Value)
	}
	if ok {
		return set, nil
	}
	if it.container == 0 {
		return v.assigned(it, value)
	}
	m, err := v.setContained(it, value)
	var refused *dapclient.ResponseError
	if errors.As(err, &refused) {
		if computed, ok, failed := v.assignComputed(it, value); ok || failed != nil {
			return computed, failed
		}
	}
	return v.setAnswer(m, it, value, err)
}

func (dotnetValues) unchanged(item, string) string {
	return "a getter or an indexer on its path returns a copy; list the collection with variables_get and set the path " +
		"that it shows, or assign the whole value"
}

// staticSuffix after a path selects the static members of its type.
const staticSuffix = ".static"

// hiddenDotnet reports whether a value is left out of listings: static members, explicit interface implementations
// (their names contain dots), indexers, and the fields of exceptions.
func hiddenDotnet(n node, parent *item) bool {
	switch {
	case parent == nil:
		return false
	case n.Name == staticMembers, n.Type == Miscalled:
		return true
	case strings.HasPrefix(n.Name, "["):
		return false
	case strings.ContainsAny(n.Name, ". "):
		return true
	case n.Name == "value__":
		return false
	}
	return strings.HasSuffix(parent.Type, "Exception") && slices.Contains(exceptionInsides, n.Name)
}

var exceptionInsides = []string{
	"_exceptionMethod", "_message", "_data", "_innerException", "_helpURL", "_stackTrace", "_watsonBuckets",
	"_stackTraceString",
	"_remoteStackTraceString", "_source", "_ipForWatsonBuckets", "_xptrs", "_xcode", "_HResult", "_dynamicMethods",
	"HasBeenThrown",
	"SerializationWatsonBuckets", "SerializationRemoteStackTraceString", "SerializationStackTraceString", "TargetSite",
}

// statics lists the static members of a value's type.
func (v *View) statics(base string) (item, error) {
	it, err := v.resolve(base)
	if err != nil {
		return item{}, err
	}
	kids, err := v.variables(it.VariablesReference)
	if err != nil || it.VariablesReference == 0 {
		return item{}, fault.Errorf(fault.VariableNotFound,
			"%s (%s) has no static members to show; evaluate takes Type.Member "+
				"by its name", base, it.Type).With("path", base+staticSuffix)
	}
	n, ok := childNamed(kids, staticMembers, it.VariablesReference)
	if !ok {
		return item{}, fault.Errorf(fault.VariableNotFound, "%s (%s) has no static members", base, it.Type).
			With("path", base+staticSuffix)
	}
	return item{node: n, name: "static", scope: it.scope, path: base + staticSuffix, child: true}, nil
}

// showDotnet completes a value of .NET.
func (v *View) showDotnet(it item, out *Variable) {
	n := it.node
	out.ChildCount = 0 // namedVariables is not reliable
	switch {
	case n.Value == "null":
		out.HasChildren = false
		return
	case n.Value == "<error>":
		out.Value, out.HasChildren = "<error: its getter did not end, or cannot be run>", false
		return
	case strings.HasPrefix(n.Value, "{"): // a box, or an object
	case isFloat(strings.TrimSuffix(n.Type, "?")):
		out.Value, out.Truncated = v.floatOf(n)
		out.HasChildren = false
		return
	case n.Type == "char":
		out.Value = mapping.CharText(n.Value)
		return
	case n.Type == "string":
		if rest, ok := v.afterNul(n); ok {
			out.Value = mapping.JoinQuoted(n.Value, `\0`, rest)
		}
		return
	default:
		out.HasChildren = false // an enum or a number: its children are its own field and the type's constants
		return
	}
	if text, count, ok := mapping.ArrayText(n.Value); ok {
		out.Value, out.ChildCount, out.HasChildren = text, count, count > 0
		return
	}
	if it.child && strings.HasSuffix(n.Type, "Exception") &&
		ThrownBy(v.Profile.Language, lastName(it.path), dap.EvaluateResponseBody{Result: n.Value, Type: n.Type}) != "" &&
		!strings.HasPrefix(it.name, "[") {
		out.Value = "threw " + n.Type // a getter threw; its children are the exception's
		return
	}
	if text, ok := v.wellKnown(n); ok {
		out.Value, out.HasChildren = text, false
		return
	}
	if count, ok := v.countOf(n); ok {
		out.Value, out.ChildCount, out.HasChildren = "Count = "+strconv.Itoa(count), count, count > 0
		return
	}
	if text, ok := v.readable(n); ok {
		out.Value = text
		return
	}
	if text, ok := v.declared(n); ok {
		out.Value = text
		return
	}
	out.HasChildren = out.HasChildren || hidesFields(n)
	switch {
	case isTuple(n.Type):
		if text, ok := v.tupleText(n); ok {
			out.Value = text
		}
	case strings.HasPrefix(n.Type, "<>f__AnonymousType"):
		if text, ok := v.inline(n, func(name string) (string, bool) {
			return name + " = ", !strings.ContainsAny(name, "<>. ")
		}); ok {
			out.Value, out.Type = "{ "+text+" }", "anonymous type"
		}
	case strings.HasPrefix(n.Type, "System.Collections.Generic.KeyValuePair<"):
		key, ok1 := v.field(n, "key")
		value, ok2 := v.field(n, "value")
		if ok1 && ok2 {
			out.Value = "[" + v.short(key) + ", " + v.short(value) + "]"
		}
	}
}

func isTuple(typ string) bool {
	return strings.HasPrefix(typ, "System.ValueTuple<") || strings.HasPrefix(typ, "System.Tuple<")
}

// tupleText returns the elements of a tuple. From the eighth on they are in tuples of their own.
func (v *View) tupleText(n node) (string, bool) {
	text, ok := v.inline(n, func(name string) (string, bool) {
		return "", strings.HasPrefix(name, "Item") && name != "Item"
	})
	for at := n; ok && len(mapping.TypeArguments(typeArguments(at.Type))) == 8; {
		if at, ok = v.field(at, "Rest"); !ok {
			break
		}
		var more string
		more, ok = v.inline(at, func(name string) (string, bool) {
			return "", strings.HasPrefix(name, "Item") && name != "Item"
		})
		text += ", " + more
	}
	return "(" + text + ")", ok
}

func typeArguments(typ string) string {
	_, args := mapping.GenericType(typ)
	return args
}

// lastName returns the last member of a path, "" after an index or a call.
func lastName(path string) string {
	return path[strings.LastIndexByte(path, '.')+1:]
}

// inline returns the children of a small value as one line.
func (v *View) inline(n node, pick func(name string) (label string, ok bool)) (string, bool) {
	kids, ok := v.fields(n)
	if !ok {
		return "", false
	}
	var parts []string
	for _, x := range kids {
		if label, ok := pick(x.Name); ok {
			parts = append(parts, label+v.short(node{x, n.VariablesReference}))
		}
	}
	return strings.Join(parts, ", "), len(parts) > 0
}

// short returns a value as part of another value.
func (v *View) short(n node) string {
	text := n.Value
	switch {
	case n.Type == "char":
		text = mapping.CharText(text)
	case isFloat(strings.TrimSuffix(n.Type, "?")) && !strings.HasPrefix(text, "{"):
		text, _ = v.floatOf(n)
	case strings.HasPrefix(text, "{"):
		if known, ok := v.wellKnown(n); ok {
			text = known
		} else if known, ok := v.readable(n); ok {
			text = known
		} else if known, ok := v.declared(n); ok {
			text = known
		} else if isTuple(n.Type) {
			if known, ok := v.tupleText(n); ok {
				text = known
			}
		}
	}
	return mapping.Clip(text, 100)
}

// number returns an integer field, by the first of these paths that leads to one. Negative numbers wrap around.
func (v *View) number(n node, paths ...string) (uint64, bool) {
	for _, path := range paths {
		at, ok := n, true
		for name := range strings.SplitSeq(path, ".") {
			if at, ok = v.field(at, name); !ok {
				break
			}
		}
		if i, err := strconv.ParseInt(at.Value, 10, 64); err == nil {
			return uint64(i), true
		}
		if u, err := strconv.ParseUint(at.Value, 10, 64); err == nil {
			return u, true
		}
	}
	return 0, false
}

// wellKnown returns the text of small types of the runtime.
func (v *View) wellKnown(n node) (string, bool) {
	if strings.HasSuffix(n.Type, "?") {
		return v.nullable(n)
	}
	typ := n.Type
	switch typ {
	case "System.DateTime":
		if data, ok := v.number(n, "_dateData", "dateData"); ok {
			return mapping.DateTimeText(data), true
		}
	case "System.DateTimeOffset":
		data, ok := v.number(n, "_dateTime._dateData")
		offset, ok2 := v.number(n, "_offsetMinutes")
		if ok && ok2 {
			return mapping.DateTimeOffsetText(data, int(int64(offset))), true
		}
	case "System.TimeSpan", "System.TimeOnly":
		if ticks, ok := v.number(n, "_ticks"); ok {
			return mapping.TimeSpanText(int64(ticks)), true
		}
	case "System.DateOnly":
		if day, ok := v.number(n, "_dayNumber"); ok {
			return mapping.DateOnlyText(int64(day)), true
		}
	case "System.Numerics.BigInteger":
		return v.bigText(n)
	case "System.Guid":
		kids, ok := v.fields(n)
		if !ok {
			break
		}
		text := mapping.GuidText(func(name string) (string, bool) {
			f, ok := childNamed(kids, name, 0)
			return f.Value, ok
		})
		if text != "" {
			return text, true
		}
	default:
		if interpreter.IsSimple(typ) && typ != "string" && typ != "decimal" { // boxed
			if inner, ok := v.field(n, "m_value"); ok {
				return v.short(inner), true
			}
		}
		return "", false
	}
	return "", false
}

// nullable returns the text of a nullable struct of the runtime. It hides its fields, so its value is asked for, which
// runs the runtime's own getter.
func (v *View) nullable(n node) (string, bool) {
	switch strings.TrimSuffix(n.Type, "?") {
	case "System.DateTime", "System.DateTimeOffset", "System.TimeSpan", "System.TimeOnly", "System.DateOnly",
		"System.Guid", "System.Numerics.BigInteger", "System.Text.Json.JsonElement":
	default:
		return "", false
	}
	inner, ok := v.valueOf(n)
	if !ok {
		return "", false
	}
	if text, ok := v.wellKnown(inner); ok {
		return text, true
	}
	return v.readable(inner)
}

// hidesFields reports whether a value is a nullable struct.
func hidesFields(n node) bool {
	return n.EvaluateName != "" && strings.HasPrefix(n.Value, "{") && strings.HasSuffix(n.Type, "?")
}

// valueOf returns the value of a nullable struct that is stored: netcoredbg reads wrong bytes of one that a getter
// returns.
func (v *View) valueOf(n node) (node, bool) {
	if !hidesFields(n) || !v.mayLook() || !v.isStored(n.EvaluateName) {
		return node{}, false
	}
	body, err := v.evaluate(v.Here, n.EvaluateName+".get_Value()", evaluateTimeout)
	if err != nil || body.Type+"?" != n.Type || !strings.HasPrefix(body.Result, "{") {
		return node{}, false
	}
	return evaluatedNode(n.EvaluateName+".get_Value()", body), true
}

// afterNul returns the part of a text after its first NUL, where netcoredbg cuts it. It reads the text's Length, a
// getter of the runtime without side effects.
func (v *View) afterNul(n node) (rest string, ok bool) {
	if n.EvaluateName == "" || !strings.HasPrefix(n.Value, `"`) || v.noFields || v.NoCalls || !v.mayLook() ||
		!isPlace(n.EvaluateName) {
		return "", false
	}
	body, err := v.evaluate(v.Here, n.EvaluateName+".get_Length()", evaluateTimeout)
	if err != nil {
		v.NoCalls = true
		return "", false
	}
	length, err := strconv.Atoi(body.Result)
	shown := mapping.UTF16Length(n.Value)
	if err != nil || length <= shown {
		return "", false
	}
	body, err = v.evaluate(v.Here, n.EvaluateName+".Substring("+strconv.Itoa(shown+1)+")", evaluateTimeout)
	if err != nil || body.Type != "string" {
		return "", false
	}
	return body.Result, true
}

// isPlace reports whether an expression is a variable, field or element, so that evaluating it twice has no side
// effect.
func isPlace(expression string) bool { return !strings.ContainsAny(expression, "()=+-*/%&|?:;<>!~ ") }
