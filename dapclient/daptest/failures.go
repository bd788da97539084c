package daptest

import (
	"fmt"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// why is the reason for which a request fails.
type why int

const (
	whyUnspecified why = iota
	whyNotSupported
	whyRunning
	whyNoThread
	whyNoFrame
	whyNoVariable
	whyInvalid
	whyArguments
	whyEvaluate
	whyLaunch
)

type failure struct {
	why    why
	detail string
}

// fail refuses a request with the family's error text.
func (e *engine) fail(m *dapclient.Message, f failure) {
	switch e.shape.Family {
	case FamilyNetcoredbg:
		e.a.wire.response(m, false, netcoredbgText(m.Name, f), nil)
	case FamilyDelve:
		short, format := delveText(m.Name, f)
		e.a.wire.mu.Lock()
		e.a.wire.seq++ // measured: a failure skips one number
		e.a.wire.mu.Unlock()
		e.a.wire.response(m, false, short, mustJSON(map[string]any{
			"error": map[string]any{"id": 2009, "format": format, "showUser": false},
		}))
	case FamilyLLDB:
		e.a.wire.response(m, false, plainText(m.Name, f), []byte(`{}`))
	default:
		e.a.wire.response(m, false, plainText(m.Name, f), nil)
	}
}

func netcoredbgText(command string, f failure) string {
	code := map[why]string{
		whyUnspecified: "0x80004005", whyNotSupported: "0x80004001", whyRunning: "0x80131302", whyNoThread: "0x80070057",
		whyNoFrame: "0x80004005", whyNoVariable: "0x80004005", whyInvalid: "0x80070057",
	}[f.why]
	switch {
	case f.why == whyEvaluate:
		return f.detail
	case f.why == whyArguments:
		return "can't parse: [json.exception.out_of_range.403] " + f.detail
	case f.why == whyLaunch:
		code = f.detail
	}
	if command == "evaluate" {
		return "error: " + code
	}
	return "Failed command '" + command + "' : " + code
}

func delveText(command string, f failure) (short, format string) {
	reason := plainReason(f)
	switch {
	case f.why == whyRunning:
		reason = "debuggee is running"
	case f.why == whyNoThread:
		reason = "unknown goroutine " + f.detail
	case f.why == whyNoFrame:
		reason = "unknown frame id " + f.detail
	case f.why == whyNoVariable:
		reason = "unknown reference " + f.detail
	}
	short = map[string]string{
		"evaluate": "Unable to evaluate expression", "stackTrace": "Unable to produce stack trace",
		"scopes":    "Unable to list locals",
		"variables": "Unable to lookup variable", "launch": "Failed to launch", "attach": "Failed to attach",
		"setVariable": "Unable to set variable value",
	}[command]
	if f.why == whyNotSupported {
		short = "Unsupported command"
	}
	if short == "" {
		short = "Unable to " + command
	}
	return short, short + ": " + reason
}

func plainText(command string, f failure) string {
	if f.why == whyEvaluate || f.why == whyLaunch {
		return f.detail
	}
	return command + ": " + plainReason(f)
}

func plainReason(f failure) string {
	switch f.why {
	case whyNotSupported:
		return "not supported"
	case whyRunning:
		return "the process is running"
	case whyNoThread:
		return "unknown thread " + f.detail
	case whyNoFrame:
		return "unknown frame " + f.detail
	case whyNoVariable:
		return "unknown variable reference " + f.detail
	case whyEvaluate, whyArguments, whyLaunch:
		return f.detail
	}
	return "failed"
}

// evalMessage returns the family's error text for a failed expression.
func (e *engine) evalMessage(err error) string {
	var name errNoName
	var syntax errSyntax
	switch err := err.(type) {
	case errNoName:
		name = err
	case errSyntax:
		syntax = err
	default:
		return err.Error()
	}
	switch e.shape.Family {
	case FamilyNetcoredbg:
		if syntax.what != "" {
			return "error: " + syntax.what
		}
		return "error: The name '" + name.name + "' does not exist in the current context"
	case FamilyDelve:
		if syntax.what != "" {
			return "1:1: " + syntax.what
		}
		return "could not find symbol value for " + name.name
	case FamilyLLDB:
		if syntax.what != "" {
			return fmt.Sprintf("error: <user expression %d>:1:1: %s\n", e.evals, syntax.what)
		}
		return fmt.Sprintf("error: <user expression %d>:1:1: use of undeclared identifier '%s'\n    1 | %s\n      | "+
			"^\n", e.evals, name.name, name.name)
	}
	if syntax.what != "" {
		return "SyntaxError: " + syntax.what
	}
	return "NameError: name '" + name.name + "' is not defined"
}

// refuseGarbage answers a frame that is not a message.
func (a *Adapter) refuseGarbage(err error) []byte {
	text := "not a request"
	if err != nil {
		text = err.Error()
	}
	body := append([]byte(`{"message":`), rawjson.AppendString(nil, "can't parse: "+text)...)
	a.wire.mu.Lock()
	defer a.wire.mu.Unlock()
	body = append(body, `,"seq":`...)
	body = a.wire.seqValue(body, false)
	return append(body, `,"success":false,"type":"response"}`...)
}
