package main

import (
	"maps"
	"net"
	"reflect"
	"slices"
	"strings"
	"sync"

	"breakwire/adapter"
	"breakwire/dapclient"
	"breakwire/mapping"
)

// customProfile is a debug adapter from the config file.
type customProfile struct {
	profile  *dapclient.Profile
	command  []string
	connect  string
	local    bool
	programs []string // extensions for which `auto` selects it
}

var profileNames = []string{
	"name", "extends", "language", "adapterId", "command", "connect", "announce", "env", "local", "programs", "launch",
	"attach", "entryFunction", "quirks",
}

func parseProfiles(n node) ([]customProfile, error) {
	items, err := n.array()
	if err != nil {
		return nil, err
	}
	var list []customProfile
	for _, item := range items {
		p, err := parseProfile(item)
		if err != nil {
			return nil, err
		}
		for _, other := range list {
			if other.profile.Name == p.profile.Name {
				return nil, item.errorf("there are two profiles named %q", p.profile.Name)
			}
		}
		list = append(list, p)
	}
	return list, nil
}

func parseProfile(n node) (customProfile, error) {
	c := customProfile{}
	members, err := n.object()
	if err != nil {
		return c, err
	}
	base := dapclient.Generic("")
	for _, m := range members {
		if m.name != "extends" {
			continue
		}
		name, err := m.value.text()
		if err != nil {
			return c, err
		}
		built := dapclient.ProfileByName(name)
		if built == nil {
			return c, m.value.errorf("extends: there is no built-in profile %q; there are netcoredbg, dlv, debugpy, "+
				"lldb-dap, codelldb and js-debug", name)
		}
		own := *built
		base = &own
	}
	c.profile = base
	// The adapter is started by the profile's own command, perhaps on another machine. So nothing that depends on
	// local files is inherited.
	base.Name, base.Executables, base.PathEnv, base.WellKnown, base.LaunchArgs, base.TakesStdin, base.StdinAtLaunch =
		"", nil, "", nil, nil, false, false
	base.Announce = nil
	for _, m := range members {
		if err := c.take(m); err != nil {
			return c, err
		}
	}
	switch {
	case base.Name == "":
		return c, n.errorf("a profile needs a name")
	case len(c.command) == 0 && c.connect == "":
		return c, n.errorf("profile %s needs a command or an address to connect to", base.Name)
	case len(c.command) > 0 && c.connect != "":
		return c, n.errorf("profile %s: command and connect exclude each other", base.Name)
	case base.Announce != nil && c.connect != "":
		return c, n.errorf("profile %s: announce is for a command that listens", base.Name)
	}
	base.LocalSources = base.LocalSources && c.local
	return c, nil
}

// take reads one member of a profile.
func (c *customProfile) take(m member) (err error) {
	p := c.profile
	switch m.name {
	case "extends": // read before
	case "name":
		if p.Name, err = m.value.text(); err == nil &&
			(p.Name == "" || p.Name == "auto" || p.Name == adapter.ReplayName || dapclient.ProfileByName(p.Name) != nil) {
			err = m.value.errorf("%q is taken or reserved; choose another name", p.Name)
		}
	case "language":
		var text string
		if text, err = m.value.text(); err == nil {
			p.Language = dapclient.Language(text)
			if known := []dapclient.Language{dapclient.DotNet, dapclient.Go, dapclient.Python,
				dapclient.C, dapclient.JavaScript}; !slices.Contains(known, p.Language) {
				err = m.value.errorf("language %q: want csharp, go, python, c or javascript, or leave it out", text)
			}
		}
	case "adapterId":
		p.AdapterID, err = m.value.text()
	case "command":
		if c.command, err = m.value.texts(); err == nil && (len(c.command) == 0 || c.command[0] == "") {
			err = m.value.errorf("the command is empty")
		}
	case "connect":
		if c.connect, err = m.value.text(); err == nil {
			if _, _, bad := net.SplitHostPort(c.connect); bad != nil {
				err = m.value.errorf("connect %q: want HOST:PORT", c.connect)
			}
		}
	case "announce":
		p.Announce, err = m.value.pattern()
		if err == nil && p.Announce.Regexp().NumSubexp() < 1 {
			err = m.value.errorf("announce needs a group (...) around the address")
		}
	case "env":
		p.Env, err = m.value.textMap()
	case "local":
		c.local, err = m.value.boolean()
	case "programs":
		if c.programs, err = m.value.texts(); err == nil {
			for i, ext := range c.programs {
				if !strings.HasPrefix(ext, ".") || len(ext) < 2 {
					return m.value.errorf("programs: %q is no extension such as .rb", ext)
				}
				c.programs[i] = strings.ToLower(ext)
			}
		}
	case "entryFunction":
		p.EntryFunction, err = m.value.text()
	case "launch":
		var t template
		if t, err = parseTemplate(m.value, launchVariables()); err == nil {
			p.Launch = func(r dapclient.LaunchRequest) map[string]any {
				values := launchValues(r)
				if p.NoEnvNull {
					values["env"] = present(r.Env)
				}
				return t.fill(values)
			}
		}
	case "attach":
		var t template
		if t, err = parseTemplate(m.value, attachVariables()); err == nil {
			p.Attach = func(r dapclient.AttachRequest) map[string]any { return t.fill(attachValues(r)) }
		}
	case "quirks":
		err = takeQuirks(p, m.value)
	default:
		err = unknownName(m, profileNames)
	}
	return err
}

func (n node) pattern() (*dapclient.Pattern, error) {
	text, err := n.text()
	if err != nil {
		return nil, err
	}
	p, err := dapclient.NewPattern(text)
	if err != nil {
		return nil, n.errorf("not a regular expression: %v", err)
	}
	return p, nil
}

func unknownName(m member, known []string) error {
	if near := mapping.Nearest(m.name, known); near != "" {
		return m.key.errorf("unknown name %q; did you mean %q?", m.name, near)
	}
	return m.key.errorf("unknown name %q; there are %s", m.name, strings.Join(known, ", "))
}

// quirkFields maps names in the config file, such as sweepStops and pauseText, to fields of a profile.
var quirkFields = sync.OnceValue(func() map[string]int {
	fields := map[string]int{}
	t := reflect.TypeFor[dapclient.Profile]()
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "Announce" || f.Name == "TakesStdin" || f.Name == "StdinAtLaunch" || f.Name == "LocalSources" {
			continue // these have a member of their own, or depend on an executable
		}
		if f.Type.Kind() == reflect.Bool || f.Type == reflect.TypeFor[*dapclient.Pattern]() {
			fields[strings.ToLower(f.Name[:1])+f.Name[1:]] = i
		}
	}
	return fields
})

// textQuirks maps the quirks that are texts to the values that they may have, nil for any.
var textQuirks = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"logPoints": {"delve", "debugpy", "lldb", "js-debug"}, "cores": {"launch", "attach"},
		"returns": {"delve", "debugpy", "lldb"}, "watches": {"delve", "lldb"},
		"endFunction": nil, "panicFunction": nil, "noCondition": nil,
	}
})

// takeText sets a quirk that is a text.
func takeText(p *dapclient.Profile, m member, values []string) error {
	text, err := m.value.text()
	if err != nil {
		return err
	}
	if values != nil && text != "" && !slices.Contains(values, text) {
		return m.value.errorf("%s %q: want %s, or nothing", m.name, text, strings.Join(values, ", "))
	}
	reflect.ValueOf(p).Elem().FieldByName(strings.ToUpper(m.name[:1]) + m.name[1:]).SetString(text)
	return nil
}

func takeQuirks(p *dapclient.Profile, n node) error {
	members, err := n.object()
	if err != nil {
		return err
	}
	for _, m := range members {
		if values, ok := textQuirks()[m.name]; ok {
			if err := takeText(p, m, values); err != nil {
				return err
			}
			continue
		}
		i, ok := quirkFields()[m.name]
		if !ok {
			known := slices.Concat(slices.Collect(maps.Keys(textQuirks())), slices.Collect(maps.Keys(quirkFields())))
			slices.Sort(known)
			return unknownName(m, known)
		}
		field := reflect.ValueOf(p).Elem().Field(i)
		if field.Kind() == reflect.Bool {
			on, err := m.value.boolean()
			if err != nil {
				return err
			}
			field.SetBool(on)
			continue
		}
		re, err := m.value.pattern()
		if err != nil {
			return err
		}
		field.Set(reflect.ValueOf(re))
	}
	return nil
}

// addTo adds the profiles of a config file to the built-in ones.
func (s settings) addTo(o *adapter.BackendOptions) {
	if o.Custom == nil {
		o.Custom = map[string]adapter.Backend{}
	}
	for _, c := range s.profiles {
		b := adapter.At(c.profile, c.connect)
		if len(c.command) > 0 {
			b.Open = adapter.Spawn(c.profile, c.command[0], c.command[1:])
		}
		b.Local = c.local
		if _, taken := o.Custom[c.profile.Name]; !taken { // a flag has precedence
			o.Custom[c.profile.Name] = b
		}
		for _, ext := range c.programs {
			if o.Programs == nil {
				o.Programs = map[string]string{}
			}
			o.Programs[ext] = c.profile.Name
		}
	}
}
