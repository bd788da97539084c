package tracepoints

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
)

// JSDebug returns what the bridge before js-debug makes of a log point: an expression that it tests as a condition
// which is never true. js-debug's own log points print to the program's output, too.
//
// The expression tests the condition and sends the hit to the inspector's console. Each of the user's expressions is
// evaluated on its own, by eval, so a syntax error is the error of that value. Texts and errors come as JSON; objects
// are left to js-debug, which shows them as it does elsewhere.
func JSDebug(id, condition string, t *Template) (expression string, ok bool, why string) {
	if !validID(id) {
		return "", false, whyID
	}
	// The names of ours hide none of the user's, which eval finds behind them.
	const text = `JSON.stringify(String($bwV)).replace(/%/g,"\\u0025")`
	var b strings.Builder
	b.WriteString(`(()=>{let $bwText="` + recordMark + `T` + id + `";const $bwQuote=$bwV=>` + text + `;`)
	if condition = strings.TrimSpace(condition); condition != "" {
		b.WriteString(`try{if(!eval(` + JSText(condition) + `))return}` +
			`catch($bwE){$bwText+="` + fieldMark + `c"+$bwQuote($bwE)}`)
	}
	b.WriteString(`const $bwParts=[],$bwTake=$bwF=>{$bwText+="` + fieldMark + `";` +
		`try{const $bwV=$bwF();switch(typeof $bwV){` +
		`case "string":case "symbol":$bwText+="s"+$bwQuote($bwV);return;` +
		`case "object":if(!$bwV)break;case "function":$bwParts.push($bwText,$bwV);$bwText="";return;` +
		`case "bigint":$bwText+="v"+$bwV+"n";return;` +
		`case "number":$bwText+="v"+(Object.is($bwV,-0)?"-0":$bwV);return}$bwText+="v"+$bwV}` +
		`catch($bwE){$bwText+="e"+$bwQuote($bwE)}};`)
	for _, e := range t.Expressions() {
		b.WriteString(`$bwTake(()=>` + evaluated(e) + `);`)
	}
	b.WriteString(`const $bwModule=process.getBuiltinModule?process.getBuiltinModule("inspector"):` +
		`process.mainModule&&process.mainModule.require("inspector");` +
		`($bwModule?$bwModule.console:console).log(...$bwParts,$bwText+"` + recordMark + `")})()`)
	return b.String(), true, ""
}

// evaluated returns an expression that evaluates the user's. A plain path is written as it is: each eval is one more
// script, of which js-debug is told.
func evaluated(expression string) string {
	if e := strings.TrimSpace(expression); plainPath().MatchString(e) && !reserved().MatchString(e) {
		return e
	}
	return "eval(" + JSText(expression) + ")"
}

var plainPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|\[\d{1,9}\])*$`)
})

// reserved are words of which an expression cannot begin, or not everywhere.
var reserved = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:arguments|async|await|break|case|catch|class|const|continue|debugger|default|delete|` +
		`do|else|enum|export|extends|finally|for|function|if|implements|import|in|instanceof|interface|let|new|of|package|` +
		`private|protected|public|return|static|super|switch|throw|try|typeof|var|void|while|with|yield)\b`)
})

// JSText returns a text as a literal of JavaScript.
func JSText(text string) string {
	literal, _ := json.Marshal(text)
	return string(literal)
}

// ParseJSDebug parses js-debug's output event for such a hit. The console puts spaces
// around objects.
func ParseJSDebug(output string) (Record, bool) {
	id, fields, ok := unframe(output, hitKind)
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
