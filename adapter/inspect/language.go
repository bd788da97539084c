package inspect

import (
	"breakwire/dapclient"
	"breakwire/mapping"
	"breakwire/mapping/expression"
	"breakwire/tracepoints"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-dap"
)

// ThrownBy returns the name of the exception that an evaluation ended with, where the debugger returns the exception
// object as a successful result (netcoredbg). It returns "" when the expression itself asks for an exception.
func ThrownBy(l dapclient.Language, expression string, body dap.EvaluateResponseBody) string {
	if l != dapclient.DotNet || !strings.HasSuffix(body.Type, "Exception") ||
		!strings.HasPrefix(body.Result, "{") || strings.Contains(expression, "xception") {
		return ""
	}
	return body.Type[strings.LastIndexByte(body.Type, '.')+1:]
}

// Displayed returns a value as it appears in a message: strings without their quotes.
func Displayed(l dapclient.Language, value, typ string) string {
	return tracepoints.Display(value, typ, string(l))
}

// Spoken rewrites an expression for the debugger.
func Spoken(l dapclient.Language, expr string) string {
	if l != dapclient.DotNet {
		return expr
	}
	return expression.ForNetcoredbg(expr)
}

// Explained returns the reason of a failed request in plain words.
func Explained(err error) string {
	var failed *dapclient.ResponseError
	if !errors.As(err, &failed) {
		return err.Error()
	}
	if message, _, ok := mapping.Explain(failed.Reason()); ok {
		return message
	}
	return failed.Reason()
}

// About is a reason with the expression before it, unless it names the expression itself. Of very short ones nobody
// knows: they may be a part of a sentence.
func About(expression, reason string) string {
	before, after, named := strings.Cut(reason, expression)
	ends := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	if named && len(expression) > 2 && (before == "" || ends(last)) && (after == "" || ends(next)) {
		return reason
	}
	return expression + ": " + reason
}
