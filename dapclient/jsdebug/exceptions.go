package jsdebug

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// exceptionName is a global of the program that has the exception of the last stop at one. js-debug names it only to
// the condition of a filter.
const exceptionName = "$exception"

// setExceptions passes the filters on. A condition of ours is a list of types.
func (b *bridge) setExceptions(m *dapclient.Message) {
	args, err := dapclient.DecodeArguments[dapclient.SetExceptionBreakpointsArguments](m)
	if err != nil {
		b.session.respond(m, nil, err)
		return
	}
	only := true
	for _, f := range args.Filters {
		args.FilterOptions = append(args.FilterOptions, dap.ExceptionFilterOptions{FilterId: f})
	}
	args.Filters = []string{}
	for i, o := range args.FilterOptions {
		only = only && o.FilterId == "uncaught"
		var types []string
		if o.Condition != "" {
			types = strings.Split(o.Condition, ",")
		}
		args.FilterOptions[i].Condition = ofTypes(types)
	}
	b.mu.Lock()
	b.uncaught = only
	b.mu.Unlock()
	raw, err := json.Marshal(args)
	if err != nil {
		b.session.respond(m, nil, err)
		return
	}
	b.forwardAs(m, raw, nil)
}

// typeNames is a function of JavaScript: the names of a value's class and of those above it, the nearest first. An
// error may have a name that is no class's.
const typeNames = `(e=>{const l=[];try{if(Object(e)!==e)return[typeof e];` +
	`for(let p=Object.getPrototypeOf(e);p;p=Object.getPrototypeOf(p)){const c=Object.getOwnPropertyDescriptor(p,` +
	`"constructor");if(c&&typeof c.value=="function"&&c.value.name&&!l.includes(c.value.name))l.push(c.value.name)}` +
	`if(typeof e.name=="string"&&e.name&&!l.includes(e.name))l[0]=="Error"?l.unshift(e.name):l.splice(1,0,e.name)}` +
	`catch{}return l})`

// ofTypes returns the condition that an exception is of one of these classes, or of one below them; nil: of any. It
// keeps the exception under its name, unless the program has such a global.
func ofTypes(types []string) string {
	wanted := "true"
	if types != nil {
		names, _ := json.Marshal(types)
		wanted = string(names) + `.some(n=>` + typeNames + `(e).includes(n))`
	}
	return `(e=>{const w=` + wanted + `;try{const n="` + exceptionName +
		`",d=Object.getOwnPropertyDescriptor(globalThis,n);if(w&&!(d&&d.enumerable))Object.defineProperty(globalThis,n,` +
		`{value:e,writable:true,configurable:true})}catch{}return w})(error)`
}

// tellException is an expression that describes the kept exception as the text of JSON, encoded so that every context
// shows it alike.
const tellException = `(()=>{const N=` + typeNames + `,D=(e,n)=>{let m="",i=[];const t=N(e);try{if(Object(e)!==e)` +
	`m=String(e);else{m=e.message===undefined?"":String(e.message);if(n<20){if(e.cause!=null)i.push(e.cause);` +
	`if(Array.isArray(e.errors))i.push(...e.errors.slice(0,20))}}}catch{}` +
	`return{types:t,message:m.slice(0,5000),inner:i.map(e=>D(e,n+1))}};` +
	`const d=Object.getOwnPropertyDescriptor(globalThis,"` + exceptionName + `");` +
	`return d&&!d.enumerable?encodeURIComponent(JSON.stringify(D(d.value,0)).replace(/[\ud800-\udfff]/g,"\ufffd")):""})()`

// toldException is what tellException evaluates to.
type toldException struct {
	Types   []string        `json:"types"`
	Message string          `json:"message"`
	Inner   []toldException `json:"inner"`
}

// details returns an exception as DAP has it.
func (e toldException) details() dap.ExceptionDetails {
	d := dap.ExceptionDetails{Message: e.Message}
	if len(e.Types) > 0 {
		d.TypeName, d.FullTypeName = e.Types[0], e.Types[0]
	}
	for _, inner := range e.Inner {
		d.InnerException = append(d.InnerException, inner.details())
	}
	return d
}

// readTold decodes the answer to tellException.
func readTold(answer *dapclient.Message, err error) (e toldException, ok bool) {
	if err != nil {
		return e, false
	}
	body, err := dapclient.DecodeBody[dap.EvaluateResponseBody](answer)
	if err != nil {
		return e, false
	}
	text, err := url.PathUnescape(strings.Trim(body.Result, `'"`))
	return e, err == nil && json.Unmarshal([]byte(text), &e) == nil && len(e.Types) > 0
}

// tellTime is how long the program may take to describe an exception.
const tellTime = time.Second

// describeException answers exceptionInfo: js-debug's answer, completed by what the program tells.
func (b *bridge) describeException(m *dapclient.Message) {
	conn := b.conn()
	if conn == nil {
		b.session.respond(m, nil, errGone)
		return
	}
	told := make(chan toldException, 1)
	go func() {
		defer close(told)
		answer, err := conn.Call(b.ctx, tellTime, "evaluate", map[string]any{"expression": tellException, "context": "watch"})
		if e, ok := readTold(answer, err); ok {
			told <- e
		}
	}()
	answer, err := conn.Call(b.ctx, 0, m.Name, argumentsIn(m.Arguments))
	if answer == nil {
		b.session.respond(m, nil, err)
		return
	}
	var e *toldException
	if have, ok := <-told; ok {
		e = &have
	}
	b.session.pass(m, answer, b.exceptionInfo(answer, e))
}

// errorText splits what js-debug says of an exception.
var errorText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^(?:Uncaught (?:\(in promise\) )?)?([A-Za-z_$][\w$.]*)(?:: (.*))?$`)
})

// exceptionBody is an answer to exceptionInfo that names the classes above the exception's.
type exceptionBody struct {
	dap.ExceptionInfoResponseBody
	BaseTypes []string `json:"baseTypes,omitempty"`
}

// unhandled reports whether nobody catches the exception of the last stop.
func (b *bridge) unhandled() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.uncaught || b.relay != nil && b.relay.uncaught.Load()
}

// exceptionInfo returns js-debug's answer as other adapters give it: with a type, a message and whether it is caught.
func (b *bridge) exceptionInfo(answer *dapclient.Message, told *toldException) any {
	body, err := dapclient.DecodeBody[dap.ExceptionInfoResponseBody](answer)
	if err != nil || !answer.Success {
		return nil
	}
	body.BreakMode = "always"
	if b.unhandled() {
		body.BreakMode = "unhandled"
	}
	stack := ""
	if body.Details != nil {
		stack = body.Details.StackTrace
	}
	typ, message := "thrown value", body.ExceptionId
	if m := errorText().FindStringSubmatch(body.ExceptionId); m != nil && stack != "" {
		typ, message = m[1], m[2]
	}
	details := dap.ExceptionDetails{TypeName: typ, FullTypeName: typ, Message: message}
	var bases []string
	if told != nil {
		details, bases = told.details(), told.Types[1:]
		details.EvaluateName = exceptionName
	}
	details.StackTrace = stack
	body.ExceptionId, body.Description, body.Details = details.TypeName, details.Message, &details
	return exceptionBody{body, bases}
}
