package adapter

import (
	"context"
	"path"
	"slices"
	"strings"

	"breakwire/adapter/inspect"
	"breakwire/adapter/journal"
	"breakwire/dapclient"
	"breakwire/mapping"
)

// Module is one loaded module.
type Module struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Path         string `json:"path,omitempty"`
	SymbolStatus string `json:"symbolStatus"` // loaded, not_found, unknown
	IsUserCode   *bool  `json:"isUserCode,omitempty"`
}

// ListModules returns the modules that the debugger has reported, or asks for them where it only answers requests.
func (s *Session) ListModules(ctx context.Context) ([]Module, error) {
	if err := s.checkRuns(); err != nil {
		return nil, err
	}
	snap := s.Snapshot()
	switch {
	case len(snap.Modules) > 0 || s.profile.ModuleEvents:
		return snap.Modules, nil
	case snap.Capabilities["modules"] == unavailable:
		return nil, notSupported(s, "modules", "supportsModulesRequest",
			"stacktrace_get names the module of each frame where it is known")
	}
	m, err := s.debugger.conn.Call(ctx, inspect.CallTimeout, "modules", nil)
	if err != nil {
		return nil, backendError(err, "the modules could not be listed", s)
	}
	body, err := dapclient.DecodeBody[struct {
		Modules []moduleBody `json:"modules"`
	}](m)
	if err != nil {
		return nil, backendError(err, "the modules could not be listed", s)
	}
	list := make([]Module, len(body.Modules))
	for i, b := range body.Modules {
		list[i] = b.module()
	}
	return list, nil
}

// moduleBody is a module as debuggers describe it (DAP, Module).
type moduleBody struct {
	ID           any    `json:"id"`
	Name         string `json:"name"`
	Path         string `json:"path"`
	SymbolStatus string `json:"symbolStatus"`
	IsUserCode   *bool  `json:"isUserCode"`
}

func (b moduleBody) module() Module {
	return Module{
		ID: mapping.Text(b.ID), Name: b.Name, Path: b.Path, SymbolStatus: symbolStatus(b.SymbolStatus),
		IsUserCode: b.IsUserCode,
	}
}

// System reports whether a module belongs to the runtime or the operating system: by the debugger's isUserCode, else by
// path and name.
func (m Module) System() bool {
	if m.IsUserCode != nil {
		return !*m.IsUserCode
	}
	file := strings.ToLower(strings.ReplaceAll(m.Path, `\`, "/"))
	for _, folder := range []string{"/shared/microsoft.", "/windows/system32/", "/windows/syswow64/",
		"/usr/lib/system/", "/system/library/"} {
		if strings.Contains(file, folder) {
			return true
		}
	}
	for _, root := range []string{"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"} {
		if strings.HasPrefix(file, root) {
			return true
		}
	}
	name := m.Name
	if name == "" {
		name = path.Base(file)
	}
	return slices.Contains([]string{"mscorlib.dll", "netstandard.dll", "[vdso]"}, name) ||
		strings.HasPrefix(name, "System.") || strings.HasPrefix(name, "Microsoft.")
}

// onModule handles a module event (DAP, Module event).
func (s *Session) onModule(m *dapclient.Message) {
	body, err := dapclient.DecodeBody[struct {
		Reason string     `json:"reason"`
		Module moduleBody `json:"module"`
	}](m)
	if err != nil {
		return
	}
	module := body.Module.module()
	id := module.ID
	next := make([]Module, 0, len(s.public.modules)+1)
	for _, old := range s.public.modules {
		if old.ID != id {
			next = append(next, old)
		}
	}
	if body.Reason != "removed" {
		next = append(next, module)
	}
	s.public.modules = next
	if s.public.info.Process.Runtime == "" {
		s.public.info.Process.Runtime = mapping.RuntimeVersion(module.Path)
	}
	s.publish()
	s.note(journal.TypeModule, "", &ModuleChange{Reason: body.Reason, Module: module})
	if body.Reason != "removed" {
		s.lacksSymbols(module)
		s.readSymbols(module)
	}
}

// ModuleChange is the data of a module event.
type ModuleChange struct {
	Reason string `json:"reason"`
	Module Module `json:"module"`
}

// symbolStatus maps the adapters' descriptions of a module's symbols.
func symbolStatus(said string) string {
	lower := strings.ToLower(said)
	switch {
	case strings.Contains(lower, "skipped"), strings.Contains(lower, "not "), strings.Contains(lower, "no "):
		return "not_found"
	case strings.Contains(lower, "loaded"):
		return "loaded"
	}
	return "unknown"
}
