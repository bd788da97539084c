package toolargs

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Docs are the descriptions of parameters by their names, for the schema.
type Docs map[string]string

// docsOf returns the descriptions that a struct type has for its own fields, and those of its embedded structs else.
func docsOf(t reflect.Type) Docs {
	if d, ok := reflect.Zero(t).Interface().(interface{ Docs() Docs }); ok {
		return d.Docs()
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
	kindValues // objects and texts, which the tool reads itself
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
	inner    *Params // of an object

	enum        []string
	enumAliases map[string]string // lower case, to the value in enum

	hasMin, hasMax bool
	min, max       int64

	hasDefault bool
	def        string // as in the tag
}

// Params are all parameters of one struct type, in the order of its fields.
type Params struct {
	list   []param
	byName map[string]int // names and aliases
	names  []string       // names only, in order
}

var compiled sync.Map // reflect.Type -> *params

// Of returns the parameters of a struct type, compiled once.
func Of(t reflect.Type) *Params {
	if p, ok := compiled.Load(t); ok {
		return p.(*Params)
	}
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("toolargs: arguments must be a struct, not %v", t))
	}
	ps := &Params{byName: make(map[string]int)}
	ps.collect(t, nil)
	p, _ := compiled.LoadOrStore(t, ps)
	return p.(*Params)
}

func (ps *Params) collect(t reflect.Type, index []int) {
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
func kindOf(t reflect.Type) (kind paramKind, inner *Params, known bool) {
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
	case t == reflect.TypeFor[[]json.RawMessage]():
		return kindValues, nil, true
	case t == reflect.TypeFor[map[string]string]():
		return kindMap, nil, true
	case t == reflect.TypeFor[map[string]*string]():
		return kindNullableMap, nil, true
	case t.Kind() == reflect.Struct:
		return kindObject, Of(t), true
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return kindObjects, Of(t.Elem()), true
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
