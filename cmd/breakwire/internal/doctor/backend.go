package doctor

import (
	"context"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/dapclient"
)

// backendReport is the report on one debugger.
type backendReport struct {
	Name         string            `json:"name"`
	Debugs       string            `json:"debugs"` // the languages that it debugs
	Works        bool              `json:"works"`
	Path         string            `json:"path,omitempty"`
	Version      string            `json:"version,omitempty"`
	Arch         string            `json:"arch,omitempty"`
	HandshakeMS  int64             `json:"handshakeMs,omitempty"`
	Capabilities map[string]string `json:"capabilities,omitempty"`
	Findings     []finding         `json:"findings,omitempty"`
}

var debugs = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"netcoredbg": ".NET", "dlv": "Go", "debugpy": "Python", "lldb-dap": "C, C++, Rust and other native code",
		"js-debug": "JavaScript and TypeScript", "codelldb": "C, C++ and Rust, by its name only",
	}
})

func examineBackend(ctx context.Context, p *dapclient.Profile, system systemReport) backendReport {
	b := backendReport{Name: p.Name, Debugs: debugs()[p.Name]}
	probed, err := adapter.Probe(ctx, p, "")
	b.Path = probed.Exe
	if b.Path == "" {
		b.Findings = append(b.Findings, finding{problem, Reason(err), howToGet(p.Name, system)})
		return b
	}
	b.Version = backendVersion(ctx, p, b.Path)
	b.Arch = archOf(b.Path)
	if err != nil {
		text := Reason(err)
		if said := strings.TrimSpace(probed.Said); said != "" && !strings.Contains(text, said) {
			text += "; it wrote: " + lastLine(said)
		}
		b.Findings = append(b.Findings, finding{problem, text, whyItEnds(p, b, system)})
		return b
	}
	b.Works, b.HandshakeMS, b.Capabilities = true, probed.Took.Milliseconds(), probed.Capabilities
	if p.Language == dapclient.DotNet {
		b.Findings = append(b.Findings, besideNetcoredbg(b.Path)...)
	}
	if b.Arch != "" && b.Arch != runtime.GOARCH && p.Language != dapclient.DotNet {
		b.Findings = append(b.Findings,
			finding{warning, p.Name + " is built for " + b.Arch + ", this machine's programs are usually " +
				runtime.GOARCH, howToGet(p.Name, system)})
	}
	return b
}

// Reason returns an error's message without its code and without general advice; howToGet has the advice for this
// system.
func Reason(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if e.Code == fault.BackendNotFound {
		before, _, _ := strings.Cut(e.Message, ";")
		return before
	}
	return e.Message
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// needDotnet adds what netcoredbg does not report: without a runtime it starts, but debugs nothing.
func (b *backendReport) needDotnet(d dotnetReport) {
	if b.Path == "" || !b.Works {
		return
	}
	if d.Path == "" {
		b.Works = false
		b.Findings = append(b.Findings, finding{problem, "dotnet was not found, so no .dll can be started", d.next()})
		return
	}
	if len(d.Runtimes) == 0 {
		b.Works = false
		b.Findings = append(b.Findings, finding{problem, d.Path + " has no runtime (Microsoft.NETCore.App)", d.next()})
	}
	if b.Arch != "" && d.Arch != "" && b.Arch != d.Arch {
		b.Works = false
		b.Findings = append(b.Findings, finding{
			problem, "netcoredbg is built for " + b.Arch + " and dotnet for " + d.Arch +
				": they cannot work together (0x80131c3c)",
			"install the netcoredbg build for " + d.Arch,
		})
	}
}

// besideNetcoredbg checks for the files that netcoredbg loads from its own folder.
func besideNetcoredbg(exe string) []finding {
	real, err := filepath.EvalSymlinks(exe)
	if err != nil {
		return nil
	}
	lib := map[string]string{"windows": "dbgshim.dll", "darwin": "libdbgshim.dylib"}[runtime.GOOS]
	if lib == "" {
		lib = "libdbgshim.so"
	}
	var found []finding
	for _, needed := range []struct{ file, without string }{
		{lib, "nothing can be launched or attached to"}, {"ManagedPart.dll", "most expressions cannot be evaluated"},
	} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(real), needed.file)); err != nil {
			found = append(found, finding{warning, needed.file + " is not beside " + real + ": " + needed.without,
				"unpack the whole archive of netcoredbg into one folder"})
		}
	}
	return found
}

// whyItEnds suggests the next step for a debugger that is installed but does not answer.
func whyItEnds(p *dapclient.Profile, b backendReport, system systemReport) string {
	switch {
	case p.Language == dapclient.DotNet && system.Libc == "musl":
		return "this system has musl instead of glibc, and netcoredbg's releases need glibc: build it from source " +
			"(github.com/Samsung/netcoredbg)"
	case b.Arch != "" && b.Arch != runtime.GOARCH:
		return "it is built for " + b.Arch + " and this machine is " + runtime.GOARCH + ": " + howToGet(p.Name, system)
	case p.PathEnv != "" && os.Getenv(p.PathEnv) != "":
		return p.PathEnv + " names it: see that it is " + p.Name
	}
	return "run " + b.Path + " " + strings.Join(p.Args, " ") + " by hand to see what it says"
}

// versionQuery is how to get a debugger's version.
type versionQuery struct {
	args    []string
	pattern *regexp.Regexp
}

var versions = sync.OnceValue(func() map[string]versionQuery {
	return map[string]versionQuery{
		"netcoredbg": {[]string{"--version"}, regexp.MustCompile(`debugger (\S+)`)},
		"dlv":        {[]string{"version"}, regexp.MustCompile(`Version: (\S+)`)},
		"debugpy": {[]string{"-c", "import debugpy, platform; " +
			"print('debugpy', debugpy.__version__, 'on Python', platform.python_version())"},
			regexp.MustCompile(`debugpy (.+)`)},
		"lldb-dap": {[]string{"--version"}, regexp.MustCompile(`version (\S+)`)},
	}
})

// versionPatience is enough for the cold start of an interpreter.
const versionPatience = 10 * time.Second

// backendVersion returns a debugger's version, "" when unknown.
func backendVersion(ctx context.Context, p *dapclient.Profile, exe string) string {
	if p.Bridge != "" {
		return packageVersion(filepath.Dir(exe))
	}
	v, ok := versions()[p.Name]
	if !ok {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, versionPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, v.args...)
	cmd.WaitDelay = time.Second
	out, _ := cmd.CombinedOutput() // some print the version and fail
	if m := v.pattern.FindSubmatch(out); m != nil {
		return strings.TrimSpace(string(m[1]))
	}
	if p.Name == "lldb-dap" { // before version 20 it has no version output: the folder or the file name may have it
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			if m := regexp.MustCompile(`(?:llvm|lldb-dap)-(\d+)`).FindStringSubmatch(real); m != nil {
				return m[1]
			}
		}
	}
	return ""
}

// packageVersion returns the version in the package.json of a script's folder, or of a folder above it.
func packageVersion(folder string) string {
	for range 3 {
		text, err := os.ReadFile(filepath.Join(folder, "package.json"))
		var body struct {
			Version string `json:"version"`
		}
		if err == nil && json.Unmarshal(text, &body) == nil && body.Version != "" {
			return body.Version
		}
		folder = filepath.Dir(folder)
	}
	return ""
}

// archOf returns the architecture of an executable as Go names it, "" for scripts and when it is unknown.
func archOf(exe string) string {
	if f, err := elf.Open(exe); err == nil {
		defer f.Close()
		return map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64", elf.EM_386: "386",
			elf.EM_ARM: "arm", elf.EM_RISCV: "riscv64"}[f.Machine]
	}
	if f, err := macho.Open(exe); err == nil {
		defer f.Close()
		return map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[f.Cpu]
	}
	if f, err := pe.Open(exe); err == nil {
		defer f.Close()
		return map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64",
			pe.IMAGE_FILE_MACHINE_I386: "386"}[f.Machine]
	}
	return ""
}
