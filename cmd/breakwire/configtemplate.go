package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tailscale/hujson"

	"breakwire/dapclient"
)

// template is the arguments of a start request with ${variables} in its texts. A text that is one variable and
// nothing else becomes the variable's value with its type: a list, an object, a number or a boolean. A member whose
// value is then missing is omitted.
type template map[string]any

var (
	launchVariables = sync.OnceValue(func() []string {
		return slices.Sorted(maps.Keys(launchValues(dapclient.LaunchRequest{})))
	})
	attachVariables = sync.OnceValue(func() []string {
		return slices.Sorted(maps.Keys(attachValues(dapclient.AttachRequest{})))
	})
)

// missing is the value of a variable that a request does not set.
type missing struct{}

func launchValues(r dapclient.LaunchRequest) map[string]any {
	v := map[string]any{
		"program": r.Program, "args": r.Args, "cwd": r.Cwd, "env": r.Env, "stopAtEntry": r.StopAtEntry,
		"justMyCode": r.JustMyCode,
	}
	if r.Args == nil {
		v["args"] = []string{}
	}
	if r.Cwd == "" {
		v["cwd"] = missing{}
	}
	if len(r.Env) == 0 {
		v["env"] = missing{}
	}
	return v
}

// present omits variables to unset: the adapter was started without them.
func present(env map[string]*string) any {
	set := map[string]string{}
	for name, value := range env {
		if value != nil {
			set[name] = *value
		}
	}
	if len(set) == 0 {
		return missing{}
	}
	return set
}

func attachValues(r dapclient.AttachRequest) map[string]any {
	return map[string]any{"pid": r.Pid, "stopAtEntry": r.StopOnEntry, "justMyCode": r.JustMyCode}
}

var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([^}]*)\}`) })

// parseTemplate checks that a template uses only known variables, and no list or object inside a longer text.
func parseTemplate(n node, known []string) (template, error) {
	if _, err := n.object(); err != nil {
		return nil, err
	}
	var walk func(node) error
	walk = func(n node) error {
		switch v := n.value.Value.(type) {
		case *hujson.Object:
			members, err := n.object()
			if err != nil {
				return err
			}
			for _, m := range members {
				if err := walk(m.value); err != nil {
					return err
				}
			}
		case *hujson.Array:
			for _, e := range v.Elements {
				if err := walk(node{n.file, e}); err != nil {
					return err
				}
			}
		case hujson.Literal:
			if v.Kind() != '"' {
				return nil
			}
			for _, m := range variable().FindAllStringSubmatch(v.String(), -1) {
				if !slices.Contains(known, m[1]) {
					return n.errorf("there is no variable ${%s} here; there are ${%s}", m[1], strings.Join(known, "}, ${"))
				}
				if (m[1] == "args" || m[1] == "env") && v.String() != m[0] {
					return n.errorf("${%s} is not a text: it must be the whole value", m[1])
				}
			}
		}
		return nil
	}
	if err := walk(n); err != nil {
		return nil, err
	}
	plain := n.value.Clone()
	plain.Standardize()
	var t template
	if err := json.Unmarshal(plain.Pack(), &t); err != nil {
		return nil, n.errorf("%v", err)
	}
	return t, nil
}

// fill returns the arguments for one start.
func (t template) fill(values map[string]any) map[string]any {
	return fillIn(map[string]any(t), values).(map[string]any)
}

func fillIn(v any, values map[string]any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			if value = fillIn(value, values); !isMissing(value) {
				out[name] = value
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, value := range v {
			if value = fillIn(value, values); !isMissing(value) {
				out = append(out, value)
			}
		}
		return out
	case string:
		if m := variable().FindStringSubmatch(v); m != nil && m[0] == v {
			return values[m[1]]
		}
		return variable().ReplaceAllStringFunc(v, func(found string) string {
			value := values[found[2:len(found)-1]]
			if isMissing(value) {
				return ""
			}
			return fmt.Sprint(value)
		})
	}
	return v
}

func isMissing(v any) bool {
	_, is := v.(missing)
	return is
}
