package mapping

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// js-debug shows values as V8's inspector does, with the parts that only the engine needs. These functions return what
// a person reads.

// javascriptForms are the texts of which JavaScriptText leaves parts out.
type javascriptForms struct {
	date, stack, error, internal, buffer, size, promise, counted *regexp.Regexp
}

var jsForms = sync.OnceValue(func() *javascriptForms {
	return &javascriptForms{
		date: regexp.MustCompile(`[A-Z][a-z]{2} ([A-Z][a-z]{2} \d{2} \d{4,6} \d\d:\d\d:\d\d GMT[+-]\d{4})(?: \([^)]*\))?`),
		// The inspector cuts the stack of an error inside of another value anywhere.
		// A line break is escaped in some answers.
		stack: regexp.MustCompile(`(?:\n|\\n) {4}at (?:\[as [^\]]*\]|[^,}\]])*`),
		error: regexp.MustCompile(`(?s)^([\w$.]+(?:: .*?)?)(?:\n|\\n) {4}at `),
		internal: regexp.MustCompile(`(?:, )?(?:Symbol\((?:async_id_symbol|trigger_async_id_symbol|kCapture|shapeMode|` +
			`kResourceStore)\): \w+|callee: <accessor>|Symbol\(Symbol\.iterator\): ƒ)`),
		buffer:  regexp.MustCompile(`(?:, )?buffer: (?:Shared)?ArrayBuffer\(\d+\), byteLength: .*\]$`),
		size:    regexp.MustCompile(`^([\w$]+\(\d+\) \{)size: \d+(?:, )?`),
		promise: regexp.MustCompile(`(?s)^([\w$]+) \{\[\[PromiseState\]\]: '(\w+)', \[\[PromiseResult\]\]: (.*)\}$`),
		counted: regexp.MustCompile(`^([\w$]+)?\((\d+)\) ?([\[{])`),
	}
})

// JavaScriptText returns js-debug's text of a value of that type without what only the engine needs: the stack of an
// error, the body of a function, the buffer of a typed array, marks of Node in its objects. Dates are as in ISO 8601.
func JavaScriptText(value, typ string) string {
	switch typ {
	case "string", "number", "boolean", "bigint", "symbol", "undefined":
		return value
	case "function", "Function", "AsyncFunction", "GeneratorFunction", "AsyncGeneratorFunction":
		return functionHead(value)
	}
	f := jsForms()
	if strings.HasPrefix(value, "/") || typ == "String" { // a regular expression, a text
		return value
	}
	if m := f.error.FindStringSubmatch(value); m != nil {
		return m[1]
	}
	value = f.stack.ReplaceAllString(value, "")
	value = f.date.ReplaceAllStringFunc(value, func(s string) string {
		t, err := time.Parse("Jan 02 2006 15:04:05 GMT-0700", f.date.FindStringSubmatch(s)[1])
		if err != nil {
			return s
		}
		return t.UTC().Format(time.RFC3339)
	})
	value = f.internal.ReplaceAllString(value, "")
	value = f.buffer.ReplaceAllString(value, "]")
	value = f.size.ReplaceAllString(value, "$1")
	if m := f.promise.FindStringSubmatch(value); m != nil {
		if m[2] == "pending" {
			return m[1] + " {<pending>}"
		}
		return m[1] + " {<" + m[2] + ">: " + strings.TrimSuffix(m[3], ", ") + "}"
	}
	return value
}

// functionHead returns a function's text without its body.
func functionHead(text string) string {
	const longest = 60
	if strings.HasPrefix(text, "class ") || strings.HasPrefix(text, "class{") {
		head, _, _ := strings.Cut(text, "{")
		return strings.TrimSpace(head)
	}
	if strings.HasPrefix(text, "ƒ") {
		if open := strings.IndexByte(text, '('); open >= 0 {
			if end := closing(text[open+1:], '(', ')'); end >= 0 {
				return text[:open+1+end+1]
			}
		}
	}
	line, _, more := strings.Cut(text, "\n")
	if cut, was := TruncateTo(line, longest); was || more {
		if head, _, ok := strings.Cut(cut, "=>"); ok {
			return head + "=> …"
		}
		return cut + "…"
	}
	return text
}

// JavaScriptType returns the type of a value that js-debug calls an object although it has a better one.
func JavaScriptType(value, typ string) string {
	if typ != "object" {
		return typ
	}
	switch {
	case value == "null":
		return "null"
	case value == "Invalid Date" || IsJavaScriptDate(value):
		return "Date"
	case strings.HasPrefix(value, "/"):
		return "RegExp"
	}
	return typ
}

// IsJavaScriptDate reports whether js-debug's text of an object is a date.
func IsJavaScriptDate(value string) bool {
	at := jsForms().date.FindStringIndex(value)
	return at != nil && at[0] == 0 && at[1] == len(value)
}

// JavaScriptCollection returns the kind and the length of a collection, from js-debug's text of it. "" is none.
func JavaScriptCollection(value, typ string) (kind CollectionKind, count int) {
	switch typ {
	case "ArrayBuffer", "SharedArrayBuffer", "DataView", "string", "String", "Function":
		return "", 0
	}
	m := jsForms().counted.FindStringSubmatch(value)
	if m == nil {
		return "", 0
	}
	count, _ = strconv.Atoi(m[2])
	switch {
	case m[3] == "[" && m[1] == "":
		return List, count
	case m[3] == "[":
		return Array, count
	case strings.Contains(value, " => ") || typ == "Map":
		return Dictionary, count
	}
	return Set, count
}

// JavaScriptInternal reports whether a member is the engine's or the debugger's, and says nothing of the value.
func JavaScriptInternal(name string) bool {
	switch name {
	case "[[Prototype]]", "[[IsRevoked]]", "[[ArrayBufferData]]", "[[ArrayBufferByteLength]]", "[[GeneratorReceiver]]",
		"Symbol(async_id_symbol)", "Symbol(trigger_async_id_symbol)", "Symbol(kCapture)", "Symbol(shapeMode)",
		"Symbol(kResourceStore)":
		return true
	}
	return strings.HasPrefix(name, "__js_debug_")
}
