package program

import (
	"breakwire/adapter/fault"
	"bytes"
	"debug/pe"
	"encoding/binary"
	"encoding/xml"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A .NET program may be named by its project, its assembly, or the executable that starts the assembly. netcoredbg only
// starts an assembly, or a self-contained executable by its own command line.

// projectExtensions are the extensions of .NET project files.
var projectExtensions = []string{".csproj", ".fsproj", ".vbproj"}

func isProject(path string) bool {
	return slices.Contains(projectExtensions, strings.ToLower(filepath.Ext(path)))
}

// DotnetProgram returns the file that netcoredbg starts for a .NET program: the assembly of a project, folder or
// executable.
func DotnetProgram(program string) (string, error) {
	if info, err := os.Stat(program); err == nil && info.IsDir() {
		project, err := ProjectIn(program)
		if err != nil {
			return "", err
		}
		program = project
	}
	switch ext := strings.ToLower(filepath.Ext(program)); {
	case isProject(program):
		return builtAssembly(program)
	case ext == ".sln" || ext == ".slnx":
		return "", fault.Errorf(fault.LaunchFailed, "%s is a solution, not a program; give one of its projects, or "+
			"the .dll that "+
			"it builds", program).With("path", program)
	case ext == ".dll":
		if !isManaged(program) {
			return "", fault.Errorf(fault.LaunchFailed, "%s is not a .NET assembly; give the .dll that the build of a .NET "+
				"program made", program).With("path", program)
		}
		return program, nil
	}
	if dll := HostedAssembly(program); dll != "" {
		return dll, nil
	}
	return program, nil
}

// HostedAssembly returns the assembly that an executable starts, "" when there is none beside it.
func HostedAssembly(exe string) string {
	for _, base := range []string{exe, strings.TrimSuffix(exe, filepath.Ext(exe))} {
		dll, config := base+".dll", base+".runtimeconfig.json"
		if base != exe && !strings.EqualFold(filepath.Ext(exe), ".exe") {
			break // My.App starts My.App.dll, never My.dll
		}
		if IsFile(dll) && IsFile(config) {
			return dll
		}
	}
	return ""
}

// ProjectIn returns the only project of a folder.
func ProjectIn(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", fault.Errorf(fault.InvalidPath, "program %s: %v", folder, PathReason(err)).With("path", folder)
	}
	var projects []string
	for _, e := range entries {
		if isProject(e.Name()) && !e.IsDir() {
			projects = append(projects, filepath.Join(folder, e.Name()))
		}
	}
	switch len(projects) {
	case 1:
		return projects[0], nil
	case 0:
		return "", fault.Errorf(fault.InvalidPath, "program %s is a folder without a .NET project; give a project "+
			"file or the "+
			".dll that it builds", folder).With("path", folder)
	}
	return "", fault.Errorf(fault.InvalidPath, "program %s is a folder with %d projects; say which one", folder,
		len(projects)).
		With("path", folder).With("projects", projects)
}

// builtAssembly returns the newest runnable build of a project.
func builtAssembly(project string) (string, error) {
	folder := filepath.Dir(project)
	name := assemblyName(project)
	roots := []string{filepath.Join(folder, "bin")}
	if artifacts := artifactsOf(folder, strings.TrimSuffix(filepath.Base(project), filepath.Ext(project))); artifacts !=
		"" {
		roots = append(roots, artifacts)
	}
	var newest string
	var at time.Time
	library := false
	for _, root := range roots {
		// A folder that does not exist or cannot be read has no builds.
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if d.IsDir() {
				if base := d.Name(); base == "ref" || base == "refint" ||
					strings.Count(strings.TrimPrefix(path, root), string(filepath.Separator)) > 6 {
					return fs.SkipDir // reference assemblies cannot run
				}
				return nil
			}
			if !strings.EqualFold(d.Name(), name+".dll") {
				return nil
			}
			if !IsFile(strings.TrimSuffix(path, filepath.Ext(path)) + ".runtimeconfig.json") {
				library = true
				return nil
			}
			if info, err := d.Info(); err == nil && info.ModTime().After(at) {
				newest, at = path, info.ModTime()
			}
			return nil
		})
	}
	switch {
	case newest != "":
		return newest, nil
	case library:
		return "", fault.Errorf(fault.LaunchFailed, "%s builds a library (%s.dll without a runtimeconfig.json), "+
			"which cannot be "+
			"launched; launch the program or the tests that use it", project, name).With("path", project)
	}
	return "", fault.Errorf(fault.LaunchFailed, "%s has not been built: there is no %s.dll below %s; run `dotnet "+
		"build` there, "+
		"or call debug_launch with pre_build [\"dotnet\",\"build\"]",
		project, name, roots[0]).With("path", project).With("looked", roots)
}

// assemblyName returns the name of the .dll that a project builds.
func assemblyName(project string) string {
	name := strings.TrimSuffix(filepath.Base(project), filepath.Ext(project))
	text, err := os.ReadFile(project)
	if err != nil {
		return name
	}
	var doc struct {
		Groups []struct {
			AssemblyName string `xml:"AssemblyName"`
		} `xml:"PropertyGroup"`
	}
	if xml.Unmarshal(text, &doc) != nil {
		return name
	}
	for _, g := range doc.Groups {
		if own := strings.TrimSpace(g.AssemblyName); own != "" {
			own = strings.ReplaceAll(own, "$(MSBuildProjectName)", name)
			if !strings.ContainsAny(own, "$/\\*?[") {
				return own
			}
		}
	}
	return name
}

// artifactsOf returns the build folder of a project in a repository that builds into one place (UseArtifactsOutput).
func artifactsOf(folder, name string) string {
	for {
		found := filepath.Join(folder, "artifacts", "bin", name)
		if info, err := os.Stat(found); err == nil && info.IsDir() {
			return found
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return ""
		}
		folder = parent
	}
}

// isManaged reports whether a file is a .NET assembly: a PE file with a CLR header.
func isManaged(path string) bool {
	f, err := pe.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	const clrHeader = 14
	switch h := f.OptionalHeader.(type) {
	case *pe.OptionalHeader32:
		return h.NumberOfRvaAndSizes > clrHeader && h.DataDirectory[clrHeader].Size > 0
	case *pe.OptionalHeader64:
		return h.NumberOfRvaAndSizes > clrHeader && h.DataDirectory[clrHeader].Size > 0
	}
	return false
}

// bundleMark is in every executable that .NET makes to start an assembly. The bundle's offset precedes it: zero when
// the assembly is a separate file.
var bundleMark = []byte{
	0x8b, 0x12, 0x02, 0xb9, 0x6a, 0x61, 0x20, 0x38, 0x72, 0x7b, 0x93, 0x02, 0x14, 0xd7, 0xa0, 0x32,
	0x13, 0xf5, 0xb9, 0xe6, 0xef, 0xae, 0x33, 0x18, 0xee, 0x3b, 0x2d, 0xce, 0x24, 0xb3, 0x6a, 0xae,
}

// IsBundle reports whether an executable is a whole .NET program in one file.
func IsBundle(path string) bool {
	const most = 128 << 20
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return false
	}
	at := bytes.Index(text, bundleMark)
	return at >= 8 && binary.LittleEndian.Uint64(text[at-8:]) != 0
}
