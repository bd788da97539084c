package doctor

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/program"
)

// dotnetReport is the report on the .NET runtime.
type dotnetReport struct {
	Path     string          `json:"path,omitempty"`
	Source   string          `json:"source,omitempty"` // how it was found
	Arch     string          `json:"arch,omitempty"`
	Runtimes []dotnetRuntime `json:"runtimes,omitempty"`
	Looked   []string        `json:"looked,omitempty"`
	Findings []finding       `json:"findings,omitempty"`

	failed string // the output of --list-runtimes when it is not a list
}

// dotnetRuntime is one installed runtime: Microsoft.NETCore.App 9.0.5.
type dotnetRuntime struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func examineDotnet(ctx context.Context) dotnetReport {
	host, looked := program.FindDotnet()
	d := dotnetReport{Path: host.Path, Source: host.Source, Looked: looked}
	if host.Path == "" {
		d.Findings = []finding{{problem, "dotnet was not found: not by DOTNET_ROOT, not on PATH, not in the usual " +
			"folders", d.next()}}
		return d
	}
	d.Arch = archOf(host.Path)
	ctx, cancel := context.WithTimeout(ctx, versionPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, host.Path, "--list-runtimes") // works without an SDK
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	d.Runtimes = parseRuntimes(string(out))
	switch {
	case err != nil && len(d.Runtimes) == 0:
		d.failed = strings.TrimSpace(string(out))
		d.Findings = append(d.Findings, finding{problem, host.Path + " --list-runtimes failed: " + err.Error(), d.next()})
	case !d.has("Microsoft.NETCore.App"):
		d.Findings = append(d.Findings, finding{problem, host.Path + " has no runtime (Microsoft.NETCore.App)", d.next()})
	}
	if !host.OnPath {
		d.Findings = append(d.Findings,
			finding{fine, "dotnet is not on PATH; breakwire puts " + host.Path + " there for netcoredbg", ""})
	}
	d.Findings = append(d.Findings, examineMemory()...)
	missing, known := program.ICUMissing()
	d.Findings = append(d.Findings, globalization(missing, known, os.Getenv("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"))...)
	return d
}

// next is the next step towards a working runtime.
func (d dotnetReport) next() string {
	if d.failed != "" {
		return "repair or reinstall .NET: https://dotnet.microsoft.com/download; it said: " + lastLine(d.failed)
	}
	return "install the .NET runtime (https://dotnet.microsoft.com/download), or set DOTNET_ROOT to the folder that " +
		"holds dotnet"
}

func (d dotnetReport) has(name string) bool {
	return slices.ContainsFunc(d.Runtimes, func(r dotnetRuntime) bool { return r.Name == name })
}

// runtimeLine matches one line of `dotnet --list-runtimes`.
var runtimeLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(\S+) (\d\S*) \[`) })

func parseRuntimes(text string) []dotnetRuntime {
	var list []dotnetRuntime
	for _, m := range runtimeLine().FindAllStringSubmatch(text, -1) {
		list = append(list, dotnetRuntime{m[1], m[2]})
	}
	return list
}

// globalization reports whether .NET has its libraries for cultures. chosen is the setting that makes .NET work
// without them.
func globalization(missing, known bool, chosen string) []finding {
	switch {
	case !known:
		return nil
	case chosen == "1" || strings.EqualFold(chosen, "true"):
		return []finding{{Level: fine, Text: "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT is set: .NET runs without " +
			"cultures, here as in the program"}}
	case !missing:
		return []finding{{Level: fine, Text: "ICU is installed: .NET has its cultures"}}
	case chosen != "":
		return []finding{{problem, "ICU is missing and DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=" + chosen +
			" forbids .NET to do without: netcoredbg will abort", "unset DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"}}
	}
	return []finding{{warning,
		"ICU is missing: breakwire starts netcoredbg with DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1, so programs see " +
			"no cultures",
		"install libicu (Debian: sudo apt-get install libicu-dev; Fedora: sudo dnf install libicu; Alpine: apk add " +
			"icu-libs)"}}
}
