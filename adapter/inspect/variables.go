package inspect

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"breakwire/adapter/fault"
	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// Variable is one named value.
type Variable struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Value       string `json:"value"`
	Scope       string `json:"scope"` // local, argument, closure, this, global, register
	HasChildren bool   `json:"hasChildren"`
	ChildCount  int    `json:"childCount,omitempty"`
	Path        string `json:"path"` // the argument for expand
	Truncated   bool   `json:"truncated,omitempty"`
}

const (
	// defaultCount and defaultBytes end a page when the client gave no count; largeBytes ends any page.
	defaultCount = 100
	defaultBytes = 3400
	largeBytes   = 256 << 10
	// batch is how many children one request asks for.
	batch = 32
	// lookBudget bounds, for one call, the questions that only make values easier to read.
	lookBudget = 2 * time.Second
	// listTimeout bounds a listing. netcoredbg runs getters in it, and gives one up after ten seconds.
	listTimeout = 14 * time.Second
)

// VariablesQuery selects variables.
type VariablesQuery struct {
	Thread, Frame int
	Scope         string // all, locals, arguments, this, globals
	Expand        string // a path: its children instead
	Start         int
	Count         int // 0: up to 100, as many as fit in about 3.5 KB
	Names         []string
}

// VariablesPage is a page of variables. Next is the start of the next page, 0 at the end. Note is a remark for the
// reader.
type VariablesPage struct {
	Variables []Variable
	Total     int
	Next      int
	Note      string
	// FrameIndex is the index of the frame that was read.
	FrameIndex int
}

// item is a value to be shown.
type item struct {
	node
	name  string // as shown
	scope string
	path  string
	child bool // a child of another value, not of a scope
}

// listing is a list of values that is read on demand.
type listing struct {
	total int
	lead  int // the first lead values are fields of the collection object, not elements
	at    func(start, count int) ([]item, error)
	note  string
}

// elements returns the listing without its fields.
func (l listing) elements() listing {
	lead, at := l.lead, l.at
	if lead > 0 {
		l.total, l.lead = l.total-lead, 0
		l.at = func(start, count int) ([]item, error) { return at(start+lead, count) }
	}
	return l
}

// joined lists fields, then elements.
func joined(fields []item, elements listing) listing {
	lead, at := len(fields), elements.at
	if lead == 0 {
		return elements
	}
	elements.lead, elements.total = lead, elements.total+lead
	elements.at = func(start, count int) ([]item, error) {
		items := fields[min(start, lead):min(start+count, lead)]
		if count -= len(items); count <= 0 {
			return items, nil
		}
		more, err := at(max(start-lead, 0), count)
		return append(slices.Clip(items), more...), err
	}
	return elements
}

// fixed returns a listing of items that have been read already.
func fixed(items []item) listing {
	return listing{total: len(items), at: func(start, count int) ([]item, error) {
		start = min(start, len(items))
		return items[start:min(start+count, len(items))], nil
	}}
}

func (v *View) list(q VariablesQuery) (VariablesPage, error) {
	var l listing
	var err error
	if q.Expand != "" {
		l, err = v.expand(q.Expand)
	} else {
		l, err = v.scoped(q.Scope)
	}
	if err != nil {
		return VariablesPage{}, err
	}
	if len(q.Names) > 0 {
		if l, err = named(l, q.Names); err != nil {
			return VariablesPage{}, err
		}
	}
	return v.page(l, q.Start, q.Count)
}

// page returns a part of a listing: the requested count, or what fits.
func (v *View) page(l listing, start, count int) (VariablesPage, error) {
	p := VariablesPage{Total: l.total, Variables: []Variable{}, Note: l.note}
	most := largeBytes
	if count <= 0 {
		count, most = defaultCount, defaultBytes
	}
	stop, size := min(start+count, l.total), 0
	for i := start; i < stop; {
		items, err := l.at(i, min(batch, stop-i))
		if err != nil {
			return VariablesPage{}, err
		}
		if len(items) == 0 {
			if i > start { // there was no time to read on
				p.Next = i
			}
			break
		}
		for _, it := range items {
			shown := v.show(it)
			if raw, err := json.Marshal(shown); err == nil {
				size += len(raw) + 1
			}
			if size > most && len(p.Variables) > 0 {
				p.Next = i
				return p, nil
			}
			p.Variables = append(p.Variables, shown)
			i++
		}
		if i >= stop && stop < l.total {
			p.Next = stop
		}
	}
	return p, nil
}

// named selects variables by name. The error for a missing name lists the names there are.
func named(l listing, names []string) (listing, error) {
	all, err := l.at(0, l.total)
	if err != nil {
		return listing{}, err
	}
	out := make([]item, 0, len(names))
	for _, name := range names {
		i := slices.IndexFunc(all, func(it item) bool { return it.name == name || it.path == name || it.Name == name })
		if i < 0 {
			return listing{}, unknownVariable(name, all)
		}
		out = append(out, all[i])
	}
	return fixed(out), nil
}

// unknownVariable is the error for a name that does not exist. It lists the names there are.
func unknownVariable(name string, all []item) *fault.Error {
	known := make([]string, 0, len(all))
	for _, it := range all {
		if len(known) == 50 {
			break
		}
		known = append(known, it.name)
	}
	e := fault.Errorf(fault.VariableNotFound, "there is no variable %s here; there are %s", name,
		mapping.Clip(strings.Join(known, ", "), 500)).
		With("name", name).With("known", known)
	if len(known) == 0 {
		e.Message = "there is no variable " + name + " here, and no other; try another frame_index"
	}
	if near := mapping.Nearest(name, known); near != "" {
		e.Message += "; did you mean " + near + "?"
	}
	return e
}

// scoped lists the variables of the frame's scopes (DAP, Scopes request).
func (v *View) scoped(scope string) (listing, error) {
	if scope == "globals" && v.Profile.Language == dapclient.Go {
		if l, ok := v.goGlobals(); ok {
			return l, nil
		}
		v.showGoGlobals(true)
		defer v.showGoGlobals(false)
	}
	m, err := v.Call(CallTimeout, "scopes", dap.ScopesArguments{FrameId: v.Here.Id})
	if e := noSymbols(v.Profile, v.Session, err); e != nil {
		return listing{}, e
	}
	if err != nil {
		return listing{}, v.Debugger.Failed(err, "the variables could not be read")
	}
	body, err := dapclient.DecodeBody[dap.ScopesResponseBody](m)
	if err != nil {
		return listing{}, v.Debugger.Failed(err, "the variables could not be read")
	}
	var out []item
	told := false // arguments are known
	for _, sc := range body.Scopes {
		kind := scopeKind(sc)
		if v.Profile.Language == dapclient.JavaScript {
			kind = cmp.Or(javascriptScope(sc), kind)
		}
		told = told || kind == "argument"
		if !scopeWanted(kind, scope) || sc.VariablesReference == 0 {
			continue
		}
		vars, err := v.variables(sc.VariablesReference)
		if err != nil {
			return listing{}, err
		}
		items := make([]item, 0, len(vars))
		for _, x := range vars {
			if it, ok := v.named(node{x, sc.VariablesReference}, nil); ok {
				it.scope = kind
				if it.name == "this" || it.name == "self" {
					it.scope = "this"
				}
				items = append(items, it)
			}
		}
		if kind == "local" && !v.plain && v.markArguments(items) {
			told = true
		}
		out = append(out, items...)
	}
	l := fixed(slices.DeleteFunc(out, func(it item) bool { return !inScope(it.scope, scope, told) }))
	if l.total == 0 && scope == "globals" && v.Profile.Language == dapclient.Go {
		l.note = "no variables of this frame's package are known; evaluate reads one by its name: package.Name"
	}
	if !told && (scope == "arguments" || scope == "locals") {
		l.note = v.Profile.Name + " does not tell arguments from locals: both are listed, as locals"
	}
	return l, nil
}

// inScope reports whether a variable of a scope is wanted. When arguments are not known, locals and arguments both
// select both.
func inScope(have, want string, told bool) bool {
	switch want {
	case "this":
		return have == "this"
	case "locals":
		return have == "local"
	case "arguments":
		return have == "argument" || have == "local" && !told
	}
	return true
}

// scopeKind returns the kind of a scope, from its presentationHint or else its name (DAP, Scope).
func scopeKind(sc dap.Scope) string {
	name := strings.ToLower(sc.Name)
	switch {
	case sc.PresentationHint == "registers" || strings.Contains(name, "register"):
		return "register"
	case sc.PresentationHint == "arguments" || strings.Contains(name, "argument"):
		return "argument"
	case strings.Contains(name, "global"):
		return "global"
	}
	return "local"
}

func scopeWanted(kind, scope string) bool {
	if scope == "globals" {
		return kind == "global"
	}
	return kind == "local" || kind == "argument" || kind == closure && scope == "all"
}

// variables asks for all children of a reference.
func (v *View) variables(reference int) ([]dap.Variable, error) {
	vars, err := v.someVariables(dap.VariablesArguments{VariablesReference: reference})
	if unreadableMember(err) {
		if some, ok := v.members(reference); ok {
			return some, nil
		}
	}
	return vars, err
}

// unreadableMember reports whether one member made a request fail. netcoredbg reads the members of an object one after
// the other and runs their getters. It returns none when the runtime cannot read one of them (a Task, for example).
func unreadableMember(err error) bool {
	if fault.CodeOf(err) != fault.Internal {
		return false
	}
	reason, _ := fault.AsError(err).Details["backendMessage"].(string)
	return strings.Contains(reason, "0x80131")
}

// members reads the children of a value one by one, so that a member that cannot be read does not hide the others.
// netcoredbg does not name that member. Several requests at a time would be faster, but some then return the value of
// another (measured).
func (v *View) members(reference int) (all []dap.Variable, ok bool) {
	failed := 0
	for i := range maxListed {
		one, err := v.someVariables(dap.VariablesArguments{VariablesReference: reference, Start: i, Count: 1})
		switch {
		case err == nil && len(one) == 0:
			return all, failed < len(all)
		case err == nil:
			all = append(all, one...)
			continue
		case !unreadableMember(err):
			return nil, false
		}
		if failed++; failed > 3 && failed == len(all)+1 {
			return nil, false // the failure is not about one member
		}
		reason, _ := fault.AsError(err).Details["backendMessage"].(string)
		all = append(all, dap.Variable{Name: "#" + strconv.Itoa(i), Value: "<error: " + reason + ">"})
	}
	return all, true
}

func (v *View) someVariables(args dap.VariablesArguments) ([]dap.Variable, error) {
	m, err := v.Call(listTimeout, "variables", args)
	if err != nil {
		return nil, v.Debugger.Failed(err, "the variables could not be read")
	}
	body, err := dapclient.DecodeBody[dap.VariablesResponseBody](m)
	if err != nil {
		return nil, v.Debugger.Failed(err, "the variables could not be read")
	}
	if v.Profile.ListsRaw {
		body.Variables = slices.DeleteFunc(body.Variables, func(child dap.Variable) bool { return child.Name == "[raw]" })
	}
	return body.Variables, nil
}

// noSymbols returns the error for variables that cannot be read because the program has no debug information; else nil.
func noSymbols(p *dapclient.Profile, session string, err error) *fault.Error {
	var failed *dapclient.ResponseError
	text := p.NoSymbolsText
	if !errors.As(err, &failed) || text == nil || !text.MatchString(failed.Reason()) {
		return nil
	}
	return fault.Errorf(fault.NoSymbols, "%s", StrippedBuild).With("backendMessage", failed.Reason()).
		With("sessionId", session)
}

// ListVariables returns the variables of a frame, or with Expand the children of one variable.
func (v *View) ListVariables(q VariablesQuery) (VariablesPage, error) {
	if err := v.choose(q.Thread, q.Frame); err != nil {
		return VariablesPage{}, err
	}
	page, err := v.list(q)
	if v.unread > 0 && page.Note == "" {
		page.Note = v.Profile.Name + " answers slowly: values with `truncated` are as it shows them; expand them, or " +
			"ask again"
	}
	if err == nil && page.Total == 0 && page.Note == "" && q.Expand == "" {
		page.Note = v.ownFrameNote(q.Thread, v.index)
	}
	page.FrameIndex = v.index
	return page, err
}

// StrippedBuild is what to do about a Go program without debug information.
const StrippedBuild = `the program has no debug information, so it has no source lines and no variables; build it ` +
	`without -ldflags="-s -w" and with -gcflags="all=-N -l", or launch its package folder`
