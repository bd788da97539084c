package adapter

import (
	"breakwire/dapclient"
	"breakwire/mapping"
	"breakwire/mapping/expression"
	"breakwire/tracepoints"
	"errors"
	"strings"

	"github.com/google/go-dap"
)

// thrownBy returns the name of the exception that an evaluation ended with, where the debugger returns the exception
// object as a successful result (netcoredbg). It returns "" when the expression itself asks for an exception.
func thrownBy(l dapclient.Language, expression string, body dap.EvaluateResponseBody) string {
	if l != dapclient.DotNet || !strings.HasSuffix(body.Type, "Exception") ||
		!strings.HasPrefix(body.Result, "{") || strings.Contains(expression, "xception") {
		return ""
	}
	return body.Type[strings.LastIndexByte(body.Type, '.')+1:]
}

// displayed returns a value as it appears in a message: strings without their quotes.
func displayed(l dapclient.Language, value, typ string) string {
	return tracepoints.Display(value, typ, string(l))
}

// spoken rewrites an expression for the debugger.
func spoken(l dapclient.Language, expr string) string {
	if l != dapclient.DotNet {
		return expr
	}
	return expression.ForNetcoredbg(expr)
}

// explained returns the reason of a failed request in plain words.
func explained(err error) string {
	var failed *dapclient.ResponseError
	if !errors.As(err, &failed) {
		return err.Error()
	}
	if message, _, ok := mapping.Explain(failed.Reason()); ok {
		return message
	}
	return failed.Reason()
}
