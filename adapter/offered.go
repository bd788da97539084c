package adapter

import (
	"encoding/json"

	"github.com/google/go-dap"

	"breakwire/dapclient"
)

// How a capability is provided.
const (
	native      = "native"
	emulated    = "emulated"
	unavailable = "unavailable"
)

// offered returns the capabilities of the session object.
func (s *Session) offered() map[string]string {
	return offeredBy(s.profile, s.debugger.capabilities, s.offeredStdin())
}

// offeredBy returns them for a profile. stdin is a parameter because it depends on how the adapter is reached.
func offeredBy(p *dapclient.Profile, c dap.Capabilities, stdin string) map[string]string {
	or := func(have bool, otherwise string) string {
		if have {
			return native
		}
		return otherwise
	}
	m := map[string]string{
		"pause":                  native,
		"conditionalBreakpoints": or(c.SupportsConditionalBreakpoints && !p.NoConditions, emulated),
		"hitConditions":          emulated, // always the session's own, so that they are exact
		"functionBreakpoints":    or(c.SupportsFunctionBreakpoints, unavailable),
		"exceptionBreakpoints":   or(len(c.ExceptionBreakpointFilters) > 0, unavailable),
		"tracepoints":            or(c.SupportsLogPoints && p.LogPoints != "" && !p.LogPointsOnDemand, emulated),
		"watchpoints":            or(c.SupportsDataBreakpoints, unavailable),
		"setVariable":            or(c.SupportsSetVariable, unavailable),
		"stdin":                  stdin,
		"modules":                or(c.SupportsModulesRequest, unavailable),
		"restart":                emulated,
		"detachLaunched":         or(c.SupportTerminateDebuggee && !p.DetachKillsLaunched, unavailable),
	}
	if p.ModuleEvents {
		m["modules"] = native
	}
	return m
}

// rawObject keeps the member names of an object.
type rawObject map[string]json.RawMessage

// merge copies the capabilities that an event contains, and leaves the others.
func merge(into *dap.Capabilities, from dap.Capabilities, named rawObject) {
	have, err := json.Marshal(into)
	if err != nil {
		return
	}
	var fields rawObject
	if json.Unmarshal(have, &fields) != nil {
		return
	}
	for k, v := range named {
		fields[k] = v
	}
	whole, err := json.Marshal(fields)
	if err != nil {
		return
	}
	var next dap.Capabilities
	if json.Unmarshal(whole, &next) == nil {
		*into = next
	}
}

// offeredStdin returns how process_write_input is provided.
func (s *Session) offeredStdin() string {
	if s.made.stdin.Load() == nil {
		return unavailable
	}
	return emulated
}
