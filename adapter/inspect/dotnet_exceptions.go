package inspect

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"breakwire/adapter/fault"
	"breakwire/mapping"
)

// The exception of a .NET stop is $exception for netcoredbg. Its exceptionInfo cuts messages, leaves out what a class
// adds, and tells only the first inner exception of an AggregateException.

const dotnetException = "$exception"

// eachRead bounds one question about an exception, so that a getter that hangs does not cost the rest of the answer.
const eachRead = 600 * time.Millisecond

// ofEveryException are the members of System.Exception and System.AggregateException, which the answer has already or
// nobody asks for.
var ofEveryException = append([]string{
	"Message", "Data", "InnerException", "HelpLink", "Source", "HResult", "StackTrace", "_innerExceptions", "_rocView",
	"InnerExceptions", "InnerExceptionCount", "InternalInnerExceptions",
	"message", "stack", "cause", "errors", "[[Prototype]]", // of JavaScript's Error
}, exceptionInsides...)

// dotnetDetails completes an exception from $exception: its whole message, all inner exceptions, and its own members.
// It reports false where the exception cannot be read, as in a recording.
func (v *View) dotnetDetails(c *ExceptionContext, most int) bool {
	frame, err := v.frame(c.ThreadID, 0)
	if err != nil {
		return false
	}
	v.Here = frame
	v.lookUntil, _ = v.Ctx.Deadline()
	body, err := v.evaluate(v.Here, dotnetException, contextTime)
	if err != nil || body.VariablesReference == 0 {
		if v.Ctx.Err() != nil || fault.CodeOf(err) == fault.EvalTimeout {
			c.missing("innerExceptions and members", err)
		}
		return false
	}
	c.Path = dotnetException
	if text, ok := v.exceptionMessage(dotnetException); ok {
		c.Exception.Message = text
	}
	return v.innerExceptions(dotnetException, c, most)
}

// exceptionMessage reads a message: by its property, which may be of the program, else as it is stored.
func (v *View) exceptionMessage(path string) (string, bool) {
	for _, member := range []string{".Message", "._message"} {
		body, err := v.evaluate(v.Here, path+member, eachRead)
		if err == nil && body.Type == "string" && body.Result != "null" {
			return mapping.Clip(Displayed(v.Profile.Language, body.Result, "string"), MaxValue), true
		}
	}
	return "", false
}

// innerExceptions adds the inner exceptions of the one at path, each before its own. They are read from fields.
func (v *View) innerExceptions(path string, c *ExceptionContext, most int) bool {
	body, err := v.evaluate(v.Here, path+"._innerExceptions", eachRead)
	_, count, several := mapping.ArrayText(body.Result)
	paths := []string{path + "._innerException"}
	if err == nil && several {
		paths = nil
		for i := range count {
			paths = append(paths, path+"._innerExceptions["+strconv.Itoa(i)+"]")
		}
	}
	for _, inner := range paths {
		body, err := v.evaluate(v.Here, inner, eachRead)
		switch {
		case err != nil:
			return false
		case body.Result == "null":
			continue
		case len(c.Inner) >= most:
			c.onlyFirst(most)
			return true
		}
		message, _ := v.exceptionMessage(inner)
		c.Inner = append(c.Inner, ExceptionInner{Type: body.Type, Message: message, Path: inner})
		if !v.innerExceptions(inner, c, most) {
			return false
		}
	}
	return true
}

// exceptionMembers lists what the class of an exception adds to System.Exception. It runs getters, as every listing of
// netcoredbg does, so it comes last.
func (v *View) exceptionMembers(c *ExceptionContext) {
	frame, err := v.frame(c.ThreadID, 0)
	if err != nil {
		c.missing("members of the exception", err)
		return
	}
	v.Here = frame
	l, err := v.expand(c.Path)
	if err != nil {
		c.missing("members of the exception", err)
		return
	}
	all, err := l.at(0, l.total)
	if err != nil {
		c.missing("members of the exception", err)
		return
	}
	own := slices.DeleteFunc(all, func(it item) bool {
		property, stored := strings.CutPrefix(it.name, "_")
		return slices.Contains(ofEveryException, it.name) || stored && slices.ContainsFunc(all, func(other item) bool {
			return strings.EqualFold(other.name, property)
		})
	})
	page, err := v.page(fixed(own), 0, 0)
	if err != nil {
		c.missing("members of the exception", err)
		return
	}
	c.Members = page.Variables
	if page.Next > 0 {
		c.missing("members of the exception: "+strconv.Itoa(page.Next)+" of "+strconv.Itoa(page.Total)+"; variables_get "+
			"with expand="+c.Path+" has the rest", nil)
	}
}
