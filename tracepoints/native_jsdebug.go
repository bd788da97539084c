package tracepoints

import (
	"encoding/json"
	"strings"
)

// JSDebugFailed is where a condition that fails leaves its error for the message: the condition then counts as true.
const JSDebugFailed = `globalThis[Symbol.for("breakwire.condition")]`

// JSDebug returns the logMessage that makes js-debug report the hits of the template.
//
// js-debug prints the values as its console does, and a failed one as the error with its stack. So each expression
// is evaluated on its own, by eval, and texts, numbers and errors come as JSON or text with a mark before them. Objects
// are left to js-debug, which shows them as it does elsewhere. With a condition, the first field is its error.
func JSDebug(id, condition string, t *Template) (logMessage string, ok bool, why string) {
	if !validID(id) {
		return "", false, whyID
	}
	var exprs []string
	if condition != "" {
		exprs = append(exprs, `(()=>{const e=`+JSDebugFailed+`;delete `+JSDebugFailed+
			`;return e===undefined?"c":"c"+JSON.stringify(String(e))})()`)
	}
	for _, e := range t.Expressions() {
		exprs = append(exprs, `(f=>{try{const v=f();switch(typeof v){case "string":return "s"+JSON.stringify(v);`+
			`case "object":if(v)return v;break;case "function":return v;case "bigint":return "v"+v+"n";`+
			`case "number":return "v"+(Object.is(v,-0)?"-0":v)}return "v"+String(v)}`+
			`catch(e){return "e"+JSON.stringify(String(e))}})(()=>eval(`+JSText(e)+`))`)
	}
	return frame(id, exprs), true, ""
}

// JSText returns a text as a literal of JavaScript, without braces.
func JSText(text string) string {
	literal, _ := json.Marshal(text)
	return bracesEscaper().Replace(string(literal))
}

// ParseJSDebug parses js-debug's output event for such a log point.
func ParseJSDebug(output string) (Record, bool) {
	id, fields, ok := unframe(output)
	if !ok {
		return Record{}, false
	}
	r := Record{ID: id}
	for i, f := range fields {
		rest := f
		if f != "" {
			rest = f[1:]
		}
		var text string
		quoted := json.Unmarshal([]byte(rest), &text) == nil && strings.HasPrefix(rest, `"`)
		switch {
		case i == 0 && f == "c":
		case i == 0 && quoted && f[0] == 'c':
			r.ConditionError = ErrorText(text)
		case quoted && f[0] == 's':
			r.Values = append(r.Values, Value{Text: text})
		case quoted && f[0] == 'e':
			r.Values = append(r.Values, Value{Err: ErrorText(text)})
		default:
			r.Values = append(r.Values, Value{Text: strings.TrimPrefix(f, "v")})
		}
	}
	return r, true
}
