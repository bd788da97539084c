package program

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/tailscale/hujson"

	"breakwire/adapter/fault"
	"breakwire/mapping"
)

// settingsProfile is a profile of Properties/launchSettings.json, which `dotnet run` and Visual Studio use.
type settingsProfile struct {
	CommandName          string            `json:"commandName"`
	CommandLineArgs      string            `json:"commandLineArgs"`
	ExecutablePath       string            `json:"executablePath"`
	WorkingDirectory     string            `json:"workingDirectory"`
	ApplicationURL       string            `json:"applicationUrl"`
	EnvironmentVariables map[string]string `json:"environmentVariables"`
}

// launchSettings returns a profile of a launchSettings.json. When none has that name, it returns the names of those
// that can be launched.
func launchSettings(file, name string) (names []string, c *Configuration, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, fault.Errorf(fault.InvalidFile, "%s: %v", file, PathReason(err)).With("file", file)
	}
	bad := func(err error) error {
		return fault.Errorf(fault.InvalidFile, "%s: %s", file, strings.TrimPrefix(err.Error(), "hujson: ")).With("file", file)
	}
	plain, err := hujson.Standardize([]byte(strings.TrimPrefix(string(text), "\ufeff")))
	if err != nil {
		return nil, nil, bad(err)
	}
	var doc struct {
		Profiles map[string]settingsProfile `json:"profiles"`
	}
	if err := json.Unmarshal(plain, &doc); err != nil {
		return nil, nil, bad(err)
	}
	p, found := doc.Profiles[name]
	if found {
		c, err := p.configuration(file, name)
		return nil, c, err
	}
	for own, p := range doc.Profiles {
		if p.CommandName == "Project" || p.CommandName == "Executable" {
			names = append(names, own)
		}
	}
	return names, nil, nil
}

// msbuildVariable matches $(...) and %...%.
var msbuildVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\((\w+)\)|%(\w+)%`)
})

func (p settingsProfile) configuration(file, name string) (*Configuration, error) {
	project := filepath.Dir(filepath.Dir(file))
	expand := func(text string) string {
		return msbuildVariable().ReplaceAllStringFunc(text, func(found string) string {
			switch variable := strings.Trim(found, "$()%"); variable {
			case "ProjectDir", "MSBuildProjectDirectory", "MSBuildThisFileDirectory":
				return project + string(filepath.Separator)
			default:
				return os.Getenv(variable)
			}
		})
	}
	absolute := func(path string) string {
		if path = expand(path); path != "" && !mapping.IsAbs(path) {
			path = filepath.Join(project, path)
		}
		return path
	}
	c := &Configuration{Name: name, File: file, Cwd: project, Env: map[string]*string{}}
	switch p.CommandName {
	case "Project":
		found, err := ProjectIn(project)
		if err != nil {
			return nil, err
		}
		c.Program, c.Backend = found, "netcoredbg"
	case "Executable":
		c.Program = absolute(p.ExecutablePath)
	default:
		return nil, fault.Errorf(fault.NotSupported, "profile %q of %s starts %s, which is no program; choose one with "+
			"commandName Project", name, file, p.CommandName).
			With("feature", "commandName "+p.CommandName).With("missingCapability", "launching "+p.CommandName).
			With("backend", "").With("hint", "choose another profile")
	}
	args, err := mapping.SplitWords(expand(p.CommandLineArgs))
	if err != nil {
		return nil, fault.Errorf(fault.InvalidFile, "profile %q of %s: commandLineArgs: %v", name, file, err).
			With("file", file)
	}
	c.Args = args
	if p.WorkingDirectory != "" {
		c.Cwd = filepath.Clean(absolute(p.WorkingDirectory))
	}
	set := func(name, value string) { c.Env[name] = &value }
	if p.ApplicationURL != "" {
		set("ASPNETCORE_URLS", p.ApplicationURL)
	}
	if p.CommandName == "Project" {
		set("DOTNET_LAUNCH_PROFILE", name) // as `dotnet run` does
	}
	for name, value := range p.EnvironmentVariables {
		set(name, expand(value))
	}
	return c, nil
}
