package jsdebug

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"breakwire/dapclient"

	"github.com/google/go-dap"
)

// setExceptions passes the filters on. A condition of ours is a list of types.
func (b *bridge) setExceptions(m *dapclient.Message) {
	args, err := dapclient.DecodeArguments[dapclient.SetExceptionBreakpointsArguments](m)
	if err != nil {
		b.session.respond(m, nil, err)
		return
	}
	only := true
	for _, f := range args.Filters {
		only = only && f == "uncaught"
	}
	for i, o := range args.FilterOptions {
		only = only && o.FilterId == "uncaught"
		if o.Condition != "" {
			args.FilterOptions[i].Condition = ofTypes(strings.Split(o.Condition, ","))
		}
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

// ofTypes returns the condition that an error is of one of these classes, or of one below them.
func ofTypes(types []string) string {
	names, _ := json.Marshal(types)
	return fmt.Sprintf(`(e=>{for(let p=e;p!=null;p=Object.getPrototypeOf(Object(p)))`+
		`if(%s.includes(p.constructor&&p.constructor.name)||%[1]s.includes(p.name))return true;return false})(error)`,
		names)
}

// errorText splits what js-debug says of an exception.
var errorText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^(?:Uncaught (?:\(in promise\) )?)?([A-Za-z_$][\w$.]*)(?:: (.*))?$`)
})

// exceptionInfo returns js-debug's answer as other adapters give it: with a type, a message and whether it is caught.
func (b *bridge) exceptionInfo(answer *dapclient.Message) any {
	body, err := dapclient.DecodeBody[dap.ExceptionInfoResponseBody](answer)
	if err != nil || !answer.Success {
		return nil
	}
	b.mu.Lock()
	relay, only := b.relay, b.uncaught
	b.mu.Unlock()
	body.BreakMode = "always"
	if only || relay != nil && relay.uncaught.Load() {
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
	body.ExceptionId, body.Description = typ, message
	body.Details = &dap.ExceptionDetails{TypeName: typ, FullTypeName: typ, Message: message, StackTrace: stack}
	return body
}
