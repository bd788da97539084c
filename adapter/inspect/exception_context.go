package inspect

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"breakwire/adapter/fault"
	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// contextTime bounds an exception_get_context. What is unknown by then is marked as missing.
const contextTime = 1800 * time.Millisecond

// ExceptionQuery selects how much of an exception's context is read.
type ExceptionQuery struct {
	Frames   int // of the stack
	WithVars int // user frames whose variables are shown
	Inner    int // of the chain of inner exceptions
}

// ExceptionInner is an inner exception. Path leads to it, and shows which exception it is in.
type ExceptionInner struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Path    string `json:"path,omitempty"`
}

// ExceptionShown is an exception.
type Exception struct {
	Type          string `json:"type"`
	Message       string `json:"message,omitempty"`
	IsFirstChance bool   `json:"isFirstChance"`
	BreakMode     string `json:"breakMode,omitempty"` // as in DAP, ExceptionBreakMode
}

// ExceptionContext is the result of exception_get_context. Partial names what is missing or cut, and why.
type ExceptionContext struct {
	ThreadID   int
	Exception  Exception
	Path       string     // of the exception itself, for variables_get and evaluate
	Members    []Variable // what its class adds
	Inner      []ExceptionInner
	Frames     []Frame
	StackTrace string // the runtime's own text, when no frame has source
	Partial    []string
}

func (c *ExceptionContext) missing(what string, err error) {
	if err != nil {
		what += ": " + fault.AsError(err).Message
	}
	c.Partial = append(c.Partial, mapping.Clip(what, 200))
}

// onlyFirst says that there are more inner exceptions, once.
func (c *ExceptionContext) onlyFirst(most int) {
	what := "innerExceptions: only the first " + strconv.Itoa(most) + "; max_inner_exceptions takes more"
	if !slices.Contains(c.Partial, what) {
		c.missing(what, nil)
	}
}

// exceptionChain asks for the chain of inner exceptions. It returns the runtime's text of the stack.
func (v *View) exceptionChain(c *ExceptionContext, q ExceptionQuery) (stack string) {
	if c.Exception.Type == PanicType && v.Profile.PanicFunction != "" {
		v.goChain(c, q)
		if c.Exception.IsFirstChance {
			return "" // Delve describes only those that nobody recovers
		}
	}
	if !v.Capabilities.SupportsExceptionInfoRequest {
		c.missing("innerExceptions: "+v.Profile.Name+" does not tell them", nil)
		return ""
	}
	m, err := v.Call(contextTime, "exceptionInfo", dap.ExceptionInfoArguments{ThreadId: c.ThreadID})
	if err != nil {
		c.missing("innerExceptions", v.Debugger.Failed(err, "the exception could not be read"))
		return ""
	}
	body, err := dapclient.DecodeBody[dap.ExceptionInfoResponseBody](m)
	if err != nil {
		c.missing("innerExceptions", err)
		return ""
	}
	if e := ExceptionOf(v.Profile, body); !v.Profile.CppExceptions { // whose answer has less than the stop
		c.Exception.Type = cmp.Or(e.Type, c.Exception.Type)
		c.Exception.Message = cmp.Or(e.Message, c.Exception.Message)
	}
	if body.Details == nil {
		return ""
	}
	switch v.Profile.Language {
	case dapclient.Python:
		v.pythonChain(c, q)
	case dapclient.DotNet:
		if !v.dotnetDetails(c, q.Inner) {
			c.Inner = c.Inner[:0]
			chain(body.Details.InnerException, c, q.Inner)
		}
	default:
		chain(body.Details.InnerException, c, q.Inner)
		c.Path = body.Details.EvaluateName
	}
	return body.Details.StackTrace
}

// chain flattens the tree of inner exceptions, the nearest first.
func chain(inner []dap.ExceptionDetails, c *ExceptionContext, most int) {
	for _, d := range inner {
		if len(c.Inner) >= most {
			c.onlyFirst(most)
			return
		}
		name := d.FullTypeName
		if name == "" {
			name = d.TypeName
		}
		c.Inner = append(c.Inner, ExceptionInner{Type: name, Message: mapping.Clip(d.Message, MaxValue)})
		chain(d.InnerException, c, most)
	}
}

// pythonChain follows __cause__ and __context__. debugpy stores the exception of a stop as __exception__.
func (v *View) pythonChain(c *ExceptionContext, q ExceptionQuery) {
	frame, err := v.frame(c.ThreadID, 0)
	if err != nil {
		c.missing("innerExceptions", err)
		return
	}
	at := "__exception__[1]"
	for range q.Inner {
		// A suppressed context (raise ... from None) is not a cause.
		at = "(" + at + ".__cause__ or (None if " + at + ".__suppress_context__ else " + at + ".__context__))"
		body, err := v.evaluate(frame, "(lambda e: None if e is None else type(e).__name__ + ': ' + str(e))("+at+")",
			time.Second)
		if err != nil {
			if fault.CodeOf(err) != fault.EvalFailed { // a stop without __exception__ has none to tell
				c.missing("innerExceptions", err)
			}
			return
		}
		if body.Result == "None" {
			return
		}
		name, message, _ := strings.Cut(Displayed(v.Profile.Language, body.Result, "str"), ": ")
		c.Inner = append(c.Inner, ExceptionInner{Type: name, Message: mapping.Clip(message, MaxValue)})
	}
}

// exceptionFrames reads the stack, source lines, and the variables of the innermost user frames.
func (v *View) exceptionFrames(c *ExceptionContext, q ExceptionQuery, stack string) {
	st, err := v.Trace(StackQuery{Thread: c.ThreadID, Max: q.Frames, Fold: true})
	if err != nil {
		c.missing("frames", err)
		c.StackTrace = mapping.Clip(stack, 2000)
		return
	}
	c.Frames = st.Frames
	user := 0
	for i := range c.Frames {
		f := &c.Frames[i]
		if f.IsExternal {
			continue
		}
		user++
		lines := Excerpt(v.Debugger.Source, f.Location)
		if user > max(q.WithVars, 1) {
			lines = current(lines)
		}
		f.Source = lines
		if user > q.WithVars {
			continue
		}
		if v.Here, err = v.frame(c.ThreadID, f.Index); err == nil {
			var page VariablesPage
			if page, err = v.list(VariablesQuery{Scope: "all"}); err == nil {
				f.Variables = withoutException(page.Variables)
				if page.Next > 0 {
					c.missing("variables of frame "+strconv.Itoa(f.Index)+": "+strconv.Itoa(len(page.Variables))+" of "+
						strconv.Itoa(page.Total)+"; variables_get has the rest", nil)
				}
			}
		}
		if err != nil {
			c.missing("variables of frame "+strconv.Itoa(f.Index), err)
		}
	}
	if user == 0 {
		c.StackTrace = mapping.Clip(stack, 2000)
	}
}

// current returns the marked line of an excerpt.
func current(lines []string) []string {
	for _, l := range lines {
		if strings.HasPrefix(l, "→") {
			return []string{l}
		}
	}
	return nil
}

// withoutException removes the variable that holds the exception, which the answer describes already.
func withoutException(in []Variable) []Variable {
	out := make([]Variable, 0, len(in))
	for _, x := range in {
		if x.Name != "$exception" && x.Name != "__exception__" {
			out = append(out, x)
		}
	}
	return out
}

func ExceptionOf(p *dapclient.Profile, body dap.ExceptionInfoResponseBody) Exception {
	e := Exception{Type: body.ExceptionId, Message: body.Description, BreakMode: string(body.BreakMode)}
	if d := body.Details; d != nil {
		if d.FullTypeName != "" {
			e.Type = d.FullTypeName
		}
		if d.Message != "" {
			e.Message = d.Message
		}
	}
	if i := strings.IndexAny(e.Type, " \n"); i > 0 && !slices.Contains(p.ExceptionTypes, e.Type) {
		e.Type = e.Type[:i] // debugpy once adds a note to the type
	}
	e.IsFirstChance = e.BreakMode == "always" || e.BreakMode == "userUnhandled"
	return e
}

// Excerpt returns the lines around a location, nil when the file cannot be read.
func Excerpt(read func(file string) ([]byte, error), l *Location) []string {
	if l == nil || l.File == "" || l.Line == 0 || !mapping.IsAbs(l.File) {
		return nil
	}
	text, err := read(l.File)
	if err != nil {
		return nil
	}
	return mapping.Excerpt(text, l.Line)
}

// ExceptionContext reads the context of the exception at which a thread has stopped.
func (v *View) ExceptionContext(thread int, e Exception, q ExceptionQuery) ExceptionContext {
	var cancel context.CancelFunc
	v.Ctx, cancel = context.WithTimeoutCause(v.Ctx, contextTime, fault.Errorf(fault.Timeout, "no time left"))
	defer cancel()
	c := ExceptionContext{ThreadID: thread, Exception: e, Inner: []ExceptionInner{}, Frames: []Frame{}}
	stack := v.exceptionChain(&c, q)
	v.exceptionFrames(&c, q, stack)
	if c.Path != "" {
		v.exceptionMembers(&c)
	}
	return c
}
