package program

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"breakwire/adapter/fault"
)

// TestHost is a command that starts a process for tests, which waits for a debugger.
type TestHost struct {
	Command []string
	Env     map[string]string
	Folder  string
}

// hostLine matches the line in which VSTest names the process that waits.
var hostLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`Process Id:\s*(\d+)`) })

// HostPid returns the process that waits for a debugger, by a line of the command's output.
func HostPid(line string) (pid string, ok bool) {
	m := hostLine().FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// dotnetMethod matches classes, and methods with an attribute of xunit, NUnit or MSTest.
var dotnetMethod = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\bclass\s+(\w+)|` +
		`\[\s*(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b[^{;]*?\b(\w+)\s*\([^)]*\)\s*(?:\{|=>|where)`)
})

// dotnetTests returns the tests of a project, as Class.Method, by its C# files.
func dotnetTests(folder string) []string {
	var names []string
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is not searched
		}
		if d.IsDir() && (d.Name() == "bin" || d.Name() == "obj" || strings.HasPrefix(d.Name(), ".") && path != folder) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".cs" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		class := ""
		for _, m := range dotnetMethod().FindAllStringSubmatch(string(text), -1) {
			if m[1] != "" {
				class = m[1]
			} else {
				names = append(names, class+"."+m[2])
			}
		}
		return nil
	})
	return names
}

// dotnetTest returns how a test of a project is run. VSTest runs it in a process of its own; the newer runners are
// programs.
func dotnetTest(q TestQuery, folder string) (*Test, error) {
	project := q.Program
	if info, err := os.Stat(project); err == nil && info.IsDir() {
		if one, err := ProjectIn(project); err == nil {
			project = one
		}
	}
	known := dotnetTests(folder)
	bare, _, _ := strings.Cut(q.Name, "(") // without the values of a theory
	if !slices.ContainsFunc(known, func(k string) bool {
		return k == bare || strings.HasSuffix(bare, "."+k) || strings.HasSuffix(k, "."+bare) || strings.HasPrefix(k, bare+".")
	}) && len(known) > 0 {
		return nil, unknownTest(q, folder, known)
	}
	host, _ := FindDotnet()
	if err := q.MayRun(cmp.Or(host.Path, "dotnet"), project); err != nil {
		return nil, err
	}
	text, _ := os.ReadFile(project) // a solution or a folder is no text of a project
	has := func(mark string) bool { return strings.Contains(string(text), mark) }
	filter := ""
	switch {
	case has("xunit.v3"):
		filter = "-method"
		bare = "*" + bare
	case has("EnableMSTestRunner>true"), has("EnableNUnitRunner>true"), has("UseMicrosoftTestingPlatformRunner>true"):
		filter, bare = "--filter", "FullyQualifiedName~"+bare
	}
	if filter != "" {
		built, err := DotnetProgram(project)
		if err != nil {
			return nil, err
		}
		t := &Test{Backend: "netcoredbg", Program: built, Args: append([]string{filter, bare}, q.Args...), Cwd: folder}
		t.Ran = quoted(append([]string{"dotnet", built}, t.Args...))
		return t, q.MayRun(built)
	}
	if host.Path == "" {
		return nil, fault.Errorf(fault.LaunchFailed, "`dotnet` was not found; install the .NET SDK, or set DOTNET_ROOT")
	}
	args := append([]string{"test", project, "--filter", "FullyQualifiedName~" + bare}, q.Args...)
	return &Test{Backend: "netcoredbg", Program: project, Cwd: folder,
		Ran: quoted(append([]string{"dotnet"}, args...)),
		Host: &TestHost{Command: append([]string{host.Path}, args...), Folder: folder,
			Env: map[string]string{"VSTEST_HOST_DEBUG": "1"}},
	}, nil
}
