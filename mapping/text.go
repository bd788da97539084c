package mapping

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Text returns an id that may be a number or a string as text, because DAP lets the adapter choose.
func Text(id any) string {
	switch id := id.(type) {
	case nil:
		return ""
	case string:
		return id
	case float64:
		return strconv.FormatFloat(id, 'f', -1, 64)
	case int:
		return strconv.Itoa(id)
	case bool:
		return strconv.FormatBool(id)
	}
	return ""
}

// Clip cuts a text for a message to most characters, and marks the cut.
func Clip(s string, most int) string {
	cut, truncated := TruncateTo(s, most)
	if truncated {
		cut += " ..."
	}
	return cut
}

var sharedRuntime = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[/\\]Microsoft\.NETCore\.App[/\\](\d+\.\d+\.\d+[^/\\]*)[/\\]`)
})

// RuntimeVersion returns the .NET version in the path of its core library, "" for any other file.
func RuntimeVersion(corelib string) string {
	if !strings.HasSuffix(corelib, "System.Private.CoreLib.dll") {
		return ""
	}
	if m := sharedRuntime().FindStringSubmatch(corelib); m != nil {
		return m[1]
	}
	return ""
}
