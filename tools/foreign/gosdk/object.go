package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// at returns the value at a dotted path; a number indexes a list.
func at(v any, path string) any {
	for _, key := range strings.Split(path, ".") {
		switch t := v.(type) {
		case object:
			v = t[key]
		case []any:
			n := -1
			if _, err := fmt.Sscan(key, &n); err != nil || n < 0 || n >= len(t) {
				return nil
			}
			v = t[n]
		default:
			return nil
		}
	}
	return v
}

// want compares parts of an object with pairs of a dotted path and a value or a *regexp.Regexp. Numbers are compared
// by value.
func want(got object, pairs ...any) error {
	for i := 0; i < len(pairs); i += 2 {
		path, expected := pairs[i].(string), pairs[i+1]
		actual := at(got, path)
		ok := false
		if re, is := expected.(*regexp.Regexp); is {
			text, isText := actual.(string)
			ok = isText && re.MatchString(text)
		} else {
			ok = reflect.DeepEqual(plain(actual), plain(expected))
		}
		if !ok {
			whole, _ := json.Marshal(got)
			return fmt.Errorf("%s is %v, want %v, in %s", path, actual, expected, whole)
		}
	}
	return nil
}

// plain returns a value as decoding its JSON would.
func plain(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return v
	}
	var out any
	_ = json.Unmarshal(text, &out)
	return out
}
