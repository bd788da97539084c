package program

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// netcoredbg starts programs with the `dotnet` of its own PATH, and loads the .NET runtime into itself. breakwire adds
// what that needs to the adapter's environment, where the user's lacks it.

const (
	dotnetRoot = "DOTNET_ROOT"
	invariant  = "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"
	pathVar    = "PATH"
)

// DotnetHost is the location of the `dotnet` command.
type DotnetHost struct {
	Path   string // of the executable; symbolic links are not followed
	Source string // how it was found: DOTNET_ROOT, PATH, a file or a well-known folder
	OnPath bool   // PATH alone finds it
}

// FindDotnet looks for `dotnet`: DOTNET_ROOT, PATH, the registered install location, well-known folders. looked lists
// the places when there is none.
func FindDotnet() (host DotnetHost, looked []string) { return findDotnet(os.Getenv, "/") }

// findDotnet is FindDotnet with an environment and a root for absolute paths.
func findDotnet(getenv func(string) string, root string) (host DotnetHost, looked []string) {
	exe := "dotnet"
	if runtime.GOOS == "windows" {
		exe = "dotnet.exe"
	}
	onPath := inPath(getenv(pathVar), exe)
	for _, place := range dotnetPlaces(getenv, root) {
		if place.source == pathVar {
			if onPath != "" {
				return DotnetHost{Path: onPath, Source: pathVar, OnPath: true}, nil
			}
			looked = append(looked, pathVar)
			continue
		}
		path := filepath.Join(place.folder, exe)
		if IsExecutable(path) {
			return DotnetHost{Path: path, Source: place.source, OnPath: onPath == path}, nil
		}
		looked = append(looked, path)
	}
	return DotnetHost{}, looked
}

type dotnetPlace struct{ folder, source string }

// dotnetPlaces returns the folders where dotnet may be, in the order in which the .NET host searches.
func dotnetPlaces(getenv func(string) string, root string) []dotnetPlace {
	var places []dotnetPlace
	add := func(folder, source string) {
		if folder != "" {
			places = append(places, dotnetPlace{folder, source})
		}
	}
	add(getenv(dotnetRoot+"_"+dotnetArch()), dotnetRoot+"_"+dotnetArch())
	add(getenv(dotnetRoot), dotnetRoot)
	places = append(places, dotnetPlace{source: pathVar})
	home := getenv("HOME")
	if runtime.GOOS == "windows" {
		home = getenv("USERPROFILE")
		if programs := getenv("ProgramFiles"); programs != "" {
			add(filepath.Join(programs, "dotnet"), "the usual folder")
		}
	} else {
		for _, file := range []string{"install_location_" + strings.ToLower(dotnetArch()), "install_location"} {
			file = filepath.Join(root, "etc", "dotnet", file)
			if text, err := os.ReadFile(file); err == nil {
				add(strings.TrimSpace(string(text)), file)
			}
		}
		for _, folder := range []string{
			"usr/share/dotnet", "usr/lib/dotnet", "usr/lib64/dotnet", "usr/local/share/dotnet",
			"usr/local/share/dotnet/" + strings.ToLower(dotnetArch()),
			"opt/homebrew/opt/dotnet/libexec", "usr/local/opt/dotnet/libexec", "opt/dotnet",
			"snap/dotnet/current/usr/lib/dotnet", "snap/dotnet-sdk/current",
		} {
			add(filepath.Join(root, folder), "the usual folder")
		}
	}
	if home != "" {
		add(filepath.Join(home, ".dotnet"), "the usual folder")
	}
	return places
}

// dotnetArch returns .NET's name of our architecture, in capitals.
func dotnetArch() string {
	switch runtime.GOARCH {
	case "amd64":
		return "X64"
	case "386":
		return "X86"
	}
	return strings.ToUpper(runtime.GOARCH)
}

// inPath returns an executable of a list of folders.
func inPath(list, exe string) string {
	for _, folder := range filepath.SplitList(list) {
		if folder == "" || !filepath.IsAbs(folder) {
			continue // an executable in the working folder must not become a debugger's tool
		}
		if path := filepath.Join(folder, exe); IsExecutable(path) {
			return path
		}
	}
	return ""
}

// IsExecutable reports whether a file may be run.
func IsExecutable(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil
}

// ICUMissing reports whether this system lacks the libraries of .NET's globalization. Without them, .NET ends at its
// start unless told to do without. known is false where that cannot be decided; macOS and Windows have the libraries.
func ICUMissing() (missing, known bool) {
	if runtime.GOOS != "linux" {
		return false, runtime.GOOS == "darwin" || runtime.GOOS == "windows"
	}
	return icuMissing(os.Getenv("LD_LIBRARY_PATH"), "/"), true
}

func icuMissing(libraryPath, root string) bool {
	folders := filepath.SplitList(libraryPath)
	for _, f := range []string{"lib", "lib64", "usr/lib", "usr/lib64", "usr/local/lib", "lib/*-linux-*",
		"usr/lib/*-linux-*"} {
		folders = append(folders, filepath.Join(root, f))
	}
	for _, f := range folders {
		if f == "" {
			continue
		}
		// Programs load a file with a version in its name; the name without one belongs to a development package.
		if found, _ := filepath.Glob(filepath.Join(f, "libicuuc.so.*")); len(found) > 0 {
			return false
		}
	}
	return true
}

// DotnetFor returns the path of `dotnet` for a launch with these variables, "" when it was not found.
func DotnetFor(env map[string]*string) string {
	host, _ := findDotnet(func(name string) string {
		if value, given := env[name]; given {
			if value == nil {
				return ""
			}
			return *value
		}
		return os.Getenv(name)
	}, "/")
	return host.Path
}

// DotnetEnv completes the environment of an adapter that debugs .NET.
func DotnetEnv(env []string) []string {
	host, _ := FindDotnet()
	missing, _ := ICUMissing()
	return completeDotnet(env, host, missing)
}

func completeDotnet(env []string, host DotnetHost, noICU bool) []string {
	env = slices.Clone(env)
	if host.Path != "" && !host.OnPath {
		folder := filepath.Dir(host.Path)
		if old, ok := LookEnv(env, pathVar); ok && old != "" {
			env = SetEnv(env, pathVar, folder+string(os.PathListSeparator)+old)
		} else {
			env = SetEnv(env, pathVar, folder)
		}
		if _, ok := LookEnv(env, dotnetRoot); !ok {
			env = SetEnv(env, dotnetRoot, folder) // for application hosts, which look nowhere else
		}
	}
	if _, chosen := LookEnv(env, invariant); noICU && !chosen {
		env = SetEnv(env, invariant, "1")
	}
	return env
}
