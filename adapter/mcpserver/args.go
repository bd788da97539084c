package mcpserver

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A tool's parameters are a Go struct. Tags say everything else, once, for the schema that the
// client sees and for the checks that it meets; a method has the descriptions:
//
//	type stepArgs struct {
//		Session string `arg:"session_id"`
//		Mode    string `arg:"mode" enum:"over,in|into,out" default:"over" alias:"type,stepType"`
//		Count   int    `arg:"count" default:"1" min:"1" max:"100"`
//		Thread  *int   `arg:"thread_id"`
//		Value   string `arg:"value,required,loose"`
//	}
//
//	func (stepArgs) docs() docs { return docs{"session_id": "..."} }
//
//   - arg: the name, then flags. required: must be there and not null. loose: a number or a boolean
//     is taken as its text where text is asked for (values and hit conditions, which models write as numbers).
//     words: a text is taken for a list, split as a shell does. long: it may be longer than maxText.
//     unlisted: taken, but not in the schema.
//   - alias: other names, taken in silence; they are not in the schema.
//   - enum: the values, for text and the items of a list; "in|into" takes into for in. Case does not matter.
//   - min, max: bounds of a number, of the length of a text or of the number of items.
//   - default: used when the parameter is absent.
//
// Fields may be string, int, int64, uint64, bool, []string, map[string]string, map[string]*string
// (null stays nil), structs of the same kind and lists of them, and pointers to these (nil when absent).
// Embedded structs are flattened. A struct that breaks these rules panics when its tool is registered.

// docs are the descriptions of parameters by their names, for the schema.
type docs map[string]string

// docsOf returns the descriptions that a struct type has for its own fields, and those of its embedded structs else.
func docsOf(t reflect.Type) docs {
	if d, ok := reflect.Zero(t).Interface().(interface{ docs() docs }); ok {
		return d.docs()
	}
	return nil
}

type paramKind uint8

const (
	kindString paramKind = iota
	kindInt
	kindUint
	kindBool
	kindStrings
	kindMap
	kindNullableMap
	kindObject
	kindObjects
)

// param is one parameter, compiled from a field's tags.
type param struct {
	name     string
	aliases  []string
	doc      string
	kind     paramKind
	index    []int
	pointer  bool
	required bool
	loose    bool
	words    bool
	long     bool
	unlisted bool
	inner    *params // of an object

	enum        []string
	enumAliases map[string]string // lower case, to the value in enum

	hasMin, hasMax bool
	min, max       int64

	hasDefault bool
	def        string // as in the tag
}

// params are all parameters of one struct type, in the order of its fields.
type params struct {
	list   []param
	byName map[string]int // names and aliases
	names  []string       // names only, in order
}

var compiled sync.Map // reflect.Type -> *params

// paramsOf returns the parameters of a struct type, compiled once.
func paramsOf(t reflect.Type) *params {
	if p, ok := compiled.Load(t); ok {
		return p.(*params)
	}
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("mcpserver: arguments must be a struct, not %v", t))
	}
	ps := &params{byName: make(map[string]int)}
	ps.collect(t, nil)
	p, _ := compiled.LoadOrStore(t, ps)
	return p.(*params)
}

func (ps *params) collect(t reflect.Type, index []int) {
	texts := docsOf(t)
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			ps.collect(f.Type, at)
			continue
		}
		tag, ok := f.Tag.Lookup("arg")
		if !ok {
			continue
		}
		p := compileParam(t, f, tag)
		p.index, p.doc = at, texts[p.name]
		for _, name := range append([]string{p.name}, p.aliases...) {
			if _, taken := ps.byName[name]; taken {
				panic(fmt.Sprintf("mcpserver: %v: parameter %q is there twice", t, name))
			}
			ps.byName[name] = len(ps.list)
		}
		if !p.unlisted {
			ps.names = append(ps.names, p.name)
		}
		ps.list = append(ps.list, p)
	}
	for name := range texts {
		if i, ok := ps.byName[name]; !ok || ps.list[i].name != name {
			panic(fmt.Sprintf("mcpserver: %v: a description of %q, which is no parameter", t, name))
		}
	}
}

func compileParam(t reflect.Type, f reflect.StructField, tag string) param {
	bad := func(format string, args ...any) {
		panic(fmt.Sprintf("mcpserver: %v.%s: ", t, f.Name) + fmt.Sprintf(format, args...))
	}
	if !f.IsExported() {
		bad("not exported")
	}
	name, flags, _ := strings.Cut(tag, ",")
	p := param{name: name}
	if name == "" {
		bad("no name")
	}
	for flag := range strings.SplitSeq(flags, ",") {
		switch flag {
		case "":
		case "required":
			p.required = true
		case "loose":
			p.loose = true
		case "words":
			p.words = true
		case "long":
			p.long = true
		case "unlisted":
			p.unlisted = true
		default:
			bad("unknown flag %q", flag)
		}
	}
	ft := f.Type
	if ft.Kind() == reflect.Pointer {
		p.pointer, ft = true, ft.Elem()
	}
	var known bool
	if p.kind, p.inner, known = kindOf(ft); !known {
		bad("type %v is not one that arguments can have", f.Type)
	}
	if alias := f.Tag.Get("alias"); alias != "" {
		p.aliases = strings.Split(alias, ",")
	}
	p.compileEnum(f.Tag.Get("enum"), bad)
	p.min, p.hasMin = bound(f.Tag, "min", bad)
	p.max, p.hasMax = bound(f.Tag, "max", bad)
	if p.kind == kindBool && (p.hasMin || p.hasMax) {
		bad("a boolean has no bounds")
	}
	if p.def, p.hasDefault = f.Tag.Lookup("default"); p.hasDefault {
		if p.pointer || p.required || p.kind >= kindStrings {
			bad("cannot have a default")
		}
		// Checked now, so that it cannot fail later. A default may lie outside the bounds: only then
		// can "not given" be told from every value that can be.
		if err := p.setDefault(reflect.New(ft).Elem()); err != nil {
			bad("default %q: %v", p.def, err)
		}
	}
	return p
}

// kindOf returns the kind of a field's type. inner is set for structs.
func kindOf(t reflect.Type) (kind paramKind, inner *params, known bool) {
	switch {
	case t.Kind() == reflect.String:
		return kindString, nil, true
	case t.Kind() == reflect.Int || t.Kind() == reflect.Int64:
		return kindInt, nil, true
	case t.Kind() == reflect.Uint64:
		return kindUint, nil, true
	case t.Kind() == reflect.Bool:
		return kindBool, nil, true
	case t == reflect.TypeFor[[]string]():
		return kindStrings, nil, true
	case t == reflect.TypeFor[map[string]string]():
		return kindMap, nil, true
	case t == reflect.TypeFor[map[string]*string]():
		return kindNullableMap, nil, true
	case t.Kind() == reflect.Struct:
		return kindObject, paramsOf(t), true
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return kindObjects, paramsOf(t.Elem()), true
	}
	return 0, nil, false
}

func (p *param) compileEnum(tag string, bad func(string, ...any)) {
	if tag == "" {
		return
	}
	if p.kind != kindString && p.kind != kindStrings {
		bad("only text has an enum")
	}
	p.enumAliases = make(map[string]string)
	for value := range strings.SplitSeq(tag, ",") {
		names := strings.Split(value, "|")
		p.enum = append(p.enum, names[0])
		for _, n := range names {
			p.enumAliases[strings.ToLower(n)] = names[0]
		}
	}
}

func bound(tag reflect.StructTag, key string, bad func(string, ...any)) (v int64, ok bool) {
	s, ok := tag.Lookup(key)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		bad("%s: %v", key, err)
	}
	return v, true
}

// setDefault parses the default into a field. v has the element type.
func (p *param) setDefault(v reflect.Value) error {
	switch p.kind {
	case kindString:
		if p.enum != nil && !slices.Contains(p.enum, p.def) {
			return fmt.Errorf("not in the enum")
		}
		v.SetString(p.def)
	case kindInt:
		n, err := strconv.ParseInt(p.def, 10, 64)
		if err != nil {
			return err
		}
		v.SetInt(n)
	case kindUint:
		n, err := strconv.ParseUint(p.def, 10, 64)
		if err != nil {
			return err
		}
		v.SetUint(n)
	case kindBool:
		b, err := strconv.ParseBool(p.def)
		if err != nil {
			return err
		}
		v.SetBool(b)
	}
	return nil
}
