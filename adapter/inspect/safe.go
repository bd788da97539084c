package inspect

import (
	"breakwire/adapter/fault"
	"breakwire/dapclient"
	"breakwire/mapping/expression"
)

// RefuseEffects refuses an expression that may have side effects, before anything is sent. mode is the client's word
// for the restriction.
func RefuseEffects(p *dapclient.Profile, session, text, mode string) error {
	lang := expression.Language(p.Language)
	if !expression.Known(lang) {
		return fault.Errorf(fault.NotSupported, "%s needs to know the language of the program, and %s does not say "+
			"it; evaluate "+
			"without it", mode, p.Name).
			With("feature", "safe evaluation").With("missingCapability", "language of the backend").
			With("backend", p.Name).
			With("hint", "leave "+mode+" out").With("sessionId", session)
	}
	r := expression.Safe(lang, text)
	if r == nil {
		return nil
	}
	return fault.Errorf(fault.EvalRejected, "%s: %s is not allowed with %s (%s), nothing was sent to the debugger; "+
		"allowed are %s",
		text, r.Offending, mode, r.Reason(), expression.Allowed).
		With("category", string(r.Category)).With("offending", r.Offending).With("expression", text).
		With("sessionId", session)
}

// refusePath refuses to evaluate a path that may have side effects. A path that was shown before is not evaluated
// again, so this one comes from the client.
func (v *View) refusePath(path string) error {
	lang := expression.Language(v.Profile.Language)
	if !expression.Known(lang) {
		if v.ReadOnly {
			return RefuseEffects(v.Profile, v.Session, path, "--read-only")
		}
		return nil
	}
	if r := expression.Safe(lang, path); r != nil {
		return fault.Errorf(fault.EvalRejected, "%s is no path of a variable: %s is not allowed in one (%s); use "+
			"evaluate for "+
			"expressions", path, r.Offending, r.Reason()).
			With("category", string(r.Category)).With("offending", r.Offending).With("expression", path).
			With("sessionId", v.Session)
	}
	return nil
}
