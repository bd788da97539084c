package inspect

import (
	"regexp"
	"strings"
	"sync"

	"breakwire/mapping"

	"github.com/google/go-dap"
)

// goValues are those of Delve.
type goValues struct{ plainValues }

func (goValues) named(it, parent *item) bool {
	if it.name == "len()" || parent == nil && strings.HasPrefix(it.name, "~r") {
		return false // ~r0 is a result without a name: the function sets it when it returns
	}
	if it.name == "" {
		it.name = "*"
	}
	return true
}

func (goValues) children(v *View, it item) (listing, error) {
	if it.IndexedVariables > batch {
		return plainValues{}.children(v, it)
	}
	vars, err := v.variables(it.VariablesReference)
	if err != nil {
		return listing{}, err
	}
	if len(vars) == 1 && vars[0].Name == "" && vars[0].VariablesReference > 0 {
		// A pointer: show what it points to.
		if inner, ok := v.named(node{vars[0], it.VariablesReference}, &it); ok {
			return v.children(inner)
		}
	}
	l := fixed(v.shownOf(it, vars))
	if items, err := l.at(0, min(l.total, 1)); err == nil && len(items) > 0 && items[0].name == "string()" {
		l.lead = 1 // bytes and runes, as text
	}
	return l, nil
}

// moreText is how Delve says that it left out the rest of a text.
var moreText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.\.\.\+(\d+) more"?$`) })

func (goValues) show(_ *View, it item, out *Variable) {
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

func (goValues) isText(n node) bool { return n.Type == "string" && n.VariablesReference == 0 }

func (goValues) pieces(v *View, it item) (listing, error) {
	if !moreText().MatchString(it.Value) {
		return fixed(nil), nil
	}
	return v.slices(it, "len("+it.path+")", func(from, to string) string { return it.path + "[" + from + ":" + to + "]" })
}

// assign finds the container of a value that Delve has not listed.
func (goValues) assign(v *View, it item, value string) (dap.SetVariableResponseBody, error) {
	if it.container == 0 {
		it.container, it.Name = v.behindPointer(it)
	}
	return v.assigned(it, value)
}
