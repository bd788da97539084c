package tracepoints

import (
	"encoding/json"
	"strings"
)

// JSDebug returns what the bridge before js-debug makes of a log point: an expression that it tests as a condition which
// is never true. js-debug's own log points print to the program's output, too.
//
// The expression tests the condition and sends the hit to the inspector's console. Each of the user's expressions is
// evaluated on its own, by eval, so a syntax error is the error of that value. Texts and errors come as JSON; objects
// are left to js-debug, which shows them as it does elsewhere.
func JSDebug(id, condition string, t *Template) (expression string, ok bool, why string) {
	if !validID(id) {
		return "", false, whyID
	}
	var b strings.Builder
	b.WriteString(`(()=>{let c="";`)
	if condition = strings.TrimSpace(condition); condition != "" {
		b.WriteString(`try{if(!eval(` + JSText(condition) + `))return}catch(e){c="` + fieldMark +
			`c"+JSON.stringify(String(e)).replace(/%/g,"\\u0025")}`)
	}
	b.WriteString(`const m=process.getBuiltinModule?process.getBuiltinModule("inspector"):` +
		`process.mainModule&&process.mainModule.require("inspector"),` +
		`q=v=>JSON.stringify(String(v)).replace(/%/g,"\\u0025"),a=[];let s="` + recordMark + `T` + id + `"+c;` +
		`const r=f=>{s+="` + fieldMark + `";try{const v=f();switch(typeof v){case "string":case "symbol":s+="s"+q(v);return;` +
		`case "object":if(!v)break;case "function":a.push(s,v);s="";return;case "bigint":s+="v"+v+"n";return;` +
		`case "number":s+="v"+(Object.is(v,-0)?"-0":v);return}s+="v"+v}` +
		`catch(e){s+="e"+q(e)}};`)
	for _, e := range t.Expressions() {
		b.WriteString(`r(()=>eval(` + JSText(e) + `));`)
	}
	b.WriteString(`(m?m.console:console).log(...a,s+"` + recordMark + `")})()`)
	return b.String(), true, ""
}

// JSText returns a text as a literal of JavaScript.
func JSText(text string) string {
	literal, _ := json.Marshal(text)
	return string(literal)
}

// ParseJSDebug parses js-debug's output event for such a hit. The console puts spaces
// around objects.
func ParseJSDebug(output string) (Record, bool) {
	id, fields, ok := unframe(output)
	if !ok {
		return Record{}, false
	}
	r := Record{ID: id}
	for i, f := range fields {
		f = strings.Trim(f, " ")
		kind, rest := byte(0), f
		if f != "" {
			kind, rest = f[0], f[1:]
		}
		var text string
		quoted := strings.HasPrefix(rest, `"`) && json.Unmarshal([]byte(rest), &text) == nil
		switch {
		case i == 0 && quoted && kind == 'c':
			r.ConditionError = ErrorText(text)
		case quoted && kind == 's':
			r.Values = append(r.Values, Value{Text: text})
		case quoted && kind == 'e':
			r.Values = append(r.Values, Value{Err: ErrorText(text)})
		default:
			r.Values = append(r.Values, Value{Text: strings.TrimPrefix(f, "v")})
		}
	}
	return r, true
}
