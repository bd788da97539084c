package doctor

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"breakwire/adapter"
	"breakwire/adapter/program"
	"breakwire/mapping/portablepdb"
)

// programReport is the report on the given program.
type programReport struct {
	Path     string    `json:"path"`
	Starts   string    `json:"starts,omitempty"` // the file that the debugger starts, if it is another one
	Backend  string    `json:"backend,omitempty"`
	Why      string    `json:"why,omitempty"`
	Symbols  string    `json:"symbols,omitempty"` // portable, embedded, windows, none, mismatch; dwarf
	Findings []finding `json:"findings,omitempty"`
}

// fails reports whether the program cannot be debugged.
func (p *programReport) fails() bool {
	for _, f := range p.Findings {
		if f.Level == problem {
			return true
		}
	}
	return p.Backend == ""
}

func (p *programReport) add(l level, next, format string, args ...any) {
	p.Findings = append(p.Findings, finding{l, fmt.Sprintf(format, args...), next})
}

func examineProgram(path string, d dotnetReport) programReport {
	p := programReport{Path: path}
	if _, err := os.Stat(path); err != nil {
		p.add(problem, "give the path of the program to debug", "%s is not there", path)
		return p
	}
	if p.Backend, p.Why = adapter.ChooseBackend(path); p.Backend == "" {
		p.add(problem, "give an executable, a .dll, a project, a Go package or a .py file", "%s", p.Why)
		return p
	}
	switch p.Backend {
	case "netcoredbg":
		p.examineDotnet(path, d)
	case "dlv":
		p.examineGo(path)
	case "lldb-dap":
		p.examineNative(path)
	}
	return p
}

func (p *programReport) examineDotnet(path string, d dotnetReport) {
	dll, err := program.DotnetProgram(path)
	if err != nil {
		p.add(problem, "", "%s", Reason(err))
		return
	}
	if dll != path {
		p.Starts = dll
	}
	if !strings.EqualFold(filepath.Ext(dll), ".dll") {
		p.add(fine, "", "a .NET program in one file: netcoredbg starts it by its own command line")
	} else {
		p.framework(dll, d)
	}
	p.pdb(dll)
}

// framework compares the runtime in a program's runtimeconfig.json with the installed ones.
func (p *programReport) framework(dll string, d dotnetReport) {
	file := strings.TrimSuffix(dll, filepath.Ext(dll)) + ".runtimeconfig.json"
	text, err := os.ReadFile(file)
	if err != nil {
		p.add(warning, "launch the program's own .dll; dotnet starts no library",
			"there is no %s: this looks like a library", filepath.Base(file))
		return
	}
	var config struct {
		RuntimeOptions struct {
			Framework          *dotnetRuntime
			Frameworks         []dotnetRuntime
			IncludedFrameworks []dotnetRuntime
		}
	}
	if err := json.Unmarshal(text, &config); err != nil {
		p.add(problem, "build the program again", "%s: %v", file, err)
		return
	}
	wants := config.RuntimeOptions.Frameworks
	if f := config.RuntimeOptions.Framework; f != nil {
		wants = append(wants, *f)
	}
	if len(wants) == 0 && len(config.RuntimeOptions.IncludedFrameworks) > 0 {
		p.add(fine, "", "self-contained: it brings its own runtime")
		return
	}
	for _, want := range wants {
		if !fits(d.Runtimes, want) {
			p.add(problem, "install that version (https://dotnet.microsoft.com/download), or run with "+
				"DOTNET_ROLL_FORWARD=Major", "it needs %s %s, which is not installed", want.Name, want.Version)
			continue
		}
		p.add(fine, "", "needs %s %s, and a version that fits is installed", want.Name, want.Version)
	}
}

// fits reports whether an installed runtime can run a program built for want: the same major version, not older.
func fits(have []dotnetRuntime, want dotnetRuntime) bool {
	for _, h := range have {
		a, b := numbers(h.Version), numbers(want.Version)
		if h.Name == want.Name && a[0] == b[0] && (a[1] > b[1] || a[1] == b[1] && a[2] >= b[2]) {
			return true
		}
	}
	return false
}

func numbers(version string) (n [3]int) {
	version, _, _ = strings.Cut(version, "-")
	for i, part := range strings.SplitN(version, ".", 3) {
		n[i], _ = strconv.Atoi(part)
	}
	return n
}

// pdb reports the symbols of a module.
func (p *programReport) pdb(module string) {
	beside := strings.TrimSuffix(module, filepath.Ext(module)) + ".pdb"
	const rebuild = "build with <DebugType>portable</DebugType> (or embedded) in the project"
	pdb, err := portablepdb.FromModule(module)
	switch {
	case err == nil:
		p.Symbols = "embedded"
		if _, err := os.Stat(beside); err == nil {
			p.Symbols = "portable"
		}
		p.documents(pdb)
	case errors.Is(err, portablepdb.ErrMismatch):
		p.Symbols = "mismatch"
		p.add(warning, "build the program again, so that both are of one build",
			"the symbols are of another build: breakpoints may not bind, or bind elsewhere")
	case errors.Is(err, portablepdb.ErrNoSymbols) && isWindowsPDB(beside):
		p.Symbols = "windows"
		p.add(warning, rebuild, "%s is a Windows PDB, which netcoredbg cannot read: breakpoints will not bind",
			filepath.Base(beside))
	case errors.Is(err, portablepdb.ErrNoSymbols):
		p.Symbols = "none"
		p.add(warning, rebuild+", and keep the .pdb beside the .dll", "there are no symbols: breakpoints will not bind")
	default:
		p.Symbols = "unreadable"
		p.add(warning, rebuild, "the symbols cannot be read: %v", err)
	}
}

// documents compares the source files that the symbols name with this disk.
func (p *programReport) documents(pdb *portablepdb.PDB) {
	docs := pdb.Documents()
	here, rooted, first := 0, 0, ""
	for _, d := range docs {
		if _, err := os.Stat(d.Path); err == nil {
			here++
		} else if first == "" && !generated(d.Path) {
			first = d.Path
		}
		if strings.HasPrefix(d.Path, "/_/") {
			rooted++
		}
	}
	switch {
	case here == len(docs) || first == "":
		p.add(fine, "", "%s symbols; %d source files, all here", p.Symbols, len(docs))
	case rooted > 0:
		p.add(warning, "--path-map /_/=FOLDER, with the folder of the repository",
			"%s symbols of a deterministic build: sources are named like %s", p.Symbols, first)
	default:
		p.add(warning, "--path-map FROM=TO, with the folder it was built in and the one where the sources are",
			"%s symbols; %d of %d source files are not where they were built, as %s", p.Symbols, len(docs)-here,
			len(docs), first)
	}
}

// generated reports whether a file is made by the build and removed again.
func generated(path string) bool {
	path = strings.ReplaceAll(path, `\`, "/")
	return strings.Contains(path, "/obj/") || strings.HasSuffix(path, ".g.cs")
}

func isWindowsPDB(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, 24)
	n, _ := f.Read(magic)
	return bytes.HasPrefix(magic[:n], []byte("Microsoft C/C++ MSF 7.00"))
}

func (p *programReport) examineGo(path string) {
	if err := program.CheckGo(path); err != nil {
		p.add(problem, "", "%s", Reason(err))
		return
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		p.add(fine, "", "Delve builds it without optimizations")
		return
	}
	p.dwarf(path, "go build -gcflags='all=-N -l', without -ldflags=-s or -w")
	for _, s := range info.Settings {
		if s.Key == "-gcflags" && strings.Contains(s.Value, "-N") {
			p.add(fine, "", "built with %s without optimizations", info.GoVersion)
			return
		}
	}
	p.add(warning, "go build -gcflags='all=-N -l', or launch the package and let Delve build it",
		"built with %s and optimized: some variables and lines are gone", info.GoVersion)
}

func (p *programReport) examineNative(path string) {
	p.dwarf(path, "compile with -g -O0")
}

// dwarf checks an ELF file for debug information; other formats keep it elsewhere.
func (p *programReport) dwarf(path, rebuild string) {
	f, err := elf.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	for _, name := range []string{".debug_info", ".zdebug_info"} {
		if f.Section(name) != nil {
			p.Symbols = "dwarf"
			p.add(fine, "", "has debug information")
			return
		}
	}
	p.Symbols = "none"
	p.add(warning, rebuild, "there is no debug information: breakpoints will not bind")
}
