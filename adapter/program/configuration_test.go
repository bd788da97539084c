package program

import (
	"breakwire/adapter/fault"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLaunchJSON(t *testing.T) {
	root := t.TempDir()
	t.Setenv("FROM_ENV", "from the environment")
	write(t, "# comment\nexport A='file'\nB=file\n", root, "dev.env")
	own := map[string]string{"windows": "windows", "darwin": "osx", "linux": "linux"}[runtime.GOOS]
	file := write(t, `{
		// what people write
		"version": "0.2.0",
		"configurations": [
			{"name": "net", "type": "coreclr", "request": "launch", "program": "${workspaceFolder}/bin/App.dll",
			 "args": ["--x", "${env:FROM_ENV}"], "cwd": "${workspaceFolder}/src", "env": {"B": "own", "GONE": null},
			 "envFile": "${workspaceFolder}/dev.env", "stopAtEntry": false, "justMyCode": false,
			 "preLaunchTask": "build", "console": "internalConsole", "enableStepFiltering": false, /* sent on */},
			{"name": "go", "type": "go", "request": "launch", "mode": "test", "program": "./pkg",
			 "args": "-run 'A b'", "buildFlags": "-tags=x"},
			{"name": "auto", "type": "go", "request": "launch", "mode": "auto", "program": "."},
			{"name": "module", "type": "debugpy", "request": "launch", "module": "pytest"},
			{"name": "python", "type": "debugpy", "program": "a.py", "python": "${workspaceFolder}/env/bin/python"},
			{"name": "list", "type": "debugpy", "program": "a.py", "python": ["env/bin/python", "-X", "dev"]},
			{"name": "old", "type": "python", "program": "a.py", "pythonPath": "python3.9"},
			{"name": "selected", "type": "python", "program": "a.py", "python": "${command:python.interpreterPath}"},
			{"name": "cpp", "type": "cppdbg", "request": "launch", "program": "a.out",
			 "environment": [{"name": "A", "value": "1"}], "`+own+`": {"program": "b.out"}},
			{"name": "file", "type": "python", "request": "launch", "program": "${file}"},
			{"name": "input", "type": "python", "request": "launch", "program": "a.py", "args": ["${input:which}"]},
			{"name": "attach", "type": "coreclr", "request": "attach"},
			{"name": "chrome", "type": "chrome", "request": "launch", "program": "x"},
			{"name": "empty", "type": "go", "request": "launch"},
			{"name": "badEnvFile", "type": "go", "request": "launch", "program": ".", "envFile": "nosuch"},
		],
	}`, root, ".vscode", "launch.json")
	get := func(name string) *Configuration {
		c, err := FindConfiguration(root, name, "")
		require.NoError(t, err)
		require.Equal(t, file, c.File)
		return c
	}
	c := get("net")
	require.Equal(t, filepath.Join(root, "bin", "App.dll"), c.Program)
	require.Equal(t, []string{"--x", "from the environment"}, c.Args)
	require.Equal(t, filepath.Join(root, "src"), c.Cwd)
	require.Equal(t, map[string]string{"A": "file", "B": "own", "GONE": "(unset)"}, values(c.Env))
	require.False(t, *c.StopAtEntry)
	require.False(t, *c.JustMyCode)
	require.Equal(t, "netcoredbg", c.Backend)
	require.Equal(t, map[string]any{"enableStepFiltering": false}, c.Extra)
	require.Len(t, c.Warnings, 1)
	require.Contains(t, c.Warnings[0], "pre_build")

	c = get("go")
	require.Equal(t, []string{"-run", "A b"}, c.Args)
	require.Equal(t, map[string]any{"mode": "test", "buildFlags": "-tags=x"}, c.Extra)
	require.Equal(t, filepath.Join(root, "pkg"), c.Program)
	require.Nil(t, c.StopAtEntry)
	require.Empty(t, get("auto").Extra)
	require.Equal(t, map[string]any{"module": "pytest"}, get("module").Extra)
	python := filepath.Join(root, "env", "bin", "python")
	for name, want := range map[string][]string{
		"python": {python}, "list": {python, "-X", "dev"}, "old": {"python3.9"}, "selected": nil, "module": nil,
	} {
		if runtime.GOOS != "windows" {
			require.Equal(t, want, get(name).Interpreter, name)
		}
		require.NotContains(t, get(name).Extra, "pythonPath")
	}
	c = get("cpp")
	require.Equal(t, filepath.Join(root, "b.out"), c.Program, "what is for this system")
	require.Equal(t, map[string]string{"A": "1"}, values(c.Env))
	require.True(t, get("attach").Attach)

	for name, says := range map[string]string{
		"file": "${file} is known to an editor only", "input": "${input:which}",
		"chrome": `type "chrome"`,
		"empty":  "names no program", "badEnvFile": "envFile", "gp": "did you mean go?",
	} {
		_, err := FindConfiguration(root, name, "")
		require.Equal(t, fault.InvalidParameter, fault.CodeOf(err), name)
		require.ErrorContains(t, err, says)
	}
	write(t, "{\n\"configurations\": [,]}", root, ".vscode", "launch.json")
	_, err := FindConfiguration(root, "net", "")
	require.Equal(t, fault.InvalidFile, fault.CodeOf(err))
	require.ErrorContains(t, err, "line 2")
}

func TestLaunchSettings(t *testing.T) {
	root := filepath.Join(t.TempDir(), "shop [old]") // no pattern
	file := write(t, "\ufeff"+`{"profiles": {
		"https": {"commandName": "Project", "commandLineArgs": "--seed \"a b\"",
			"applicationUrl": "https://localhost:7001;http://localhost:5001",
			"launchBrowser": true, "environmentVariables": {"ASPNETCORE_ENVIRONMENT": "Development"}},
		"own": {"commandName": "Project", "workingDirectory": "$(ProjectDir)data",
			"applicationUrl": "http://localhost:1", "environmentVariables": {"ASPNETCORE_URLS": "http://localhost:2"}},
		"tool": {"commandName": "Executable", "executablePath": "tools/run"},
		"IIS Express": {"commandName": "IISExpress"}
	}}`, root, "src", "Shop", "Properties", "launchSettings.json")
	project := write(t, "<Project/>", root, "src", "Shop", "Shop.csproj")
	for _, program := range []string{"", project, filepath.Dir(project),
		filepath.Join(root, "src", "Shop", "bin", "Debug", "net9.0", "Shop.dll")} {
		c, err := FindConfiguration(root, "https", program)
		require.NoError(t, err)
		require.Equal(t, &Configuration{
			Name: "https", File: file, Program: project, Args: []string{"--seed", "a b"}, Cwd: filepath.Dir(project),
			Backend: "netcoredbg", Env: c.Env,
		}, c)
		require.Equal(t, map[string]string{
			"ASPNETCORE_ENVIRONMENT": "Development", "ASPNETCORE_URLS": "https://localhost:7001;http://localhost:5001",
			"DOTNET_LAUNCH_PROFILE": "https",
		}, values(c.Env))
	}
	c, err := FindConfiguration(root, "own", "")
	require.NoError(t, err)
	require.Equal(t, "http://localhost:2", *c.Env["ASPNETCORE_URLS"], "the profile's own wins")
	require.Equal(t, filepath.Join(root, "src", "Shop", "data"), c.Cwd)
	c, err = FindConfiguration(root, "tool", "")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(root, "src", "Shop", "tools", "run"), c.Program)
	_, err = FindConfiguration(root, "IIS Express", "")
	require.Equal(t, fault.NotSupported, fault.CodeOf(err))
	_, err = FindConfiguration(root, "nosuch", "")
	require.ErrorContains(t, err, "there are https, own, tool")
	require.NotContains(t, err.Error(), "IIS")

	_, err = FindConfiguration(t.TempDir(), "x", "")
	require.ErrorContains(t, err, "give program instead")
}

// Parameters of a call take precedence over the configuration.
// For any file content there is a configuration or an error, and a configuration can be applied.
func FuzzConfiguration(f *testing.F) {
	f.Add(`{"configurations": [{"name": "x", "type": "go", "request": "launch", "program": "${workspaceFolder}/a", `+
		`"args": ["${env:HOME}"], "env": {"A": null}}]}`,
		`{"profiles": {"x": {"commandName": "Project", "commandLineArgs": "a \"b c\"", "environmentVariables": {"A": `+
			`"1"}, "applicationUrl": "http://localhost:1"}}}`)
	f.Add(`{// a comment
	"configurations": [{"name": "x", "program": 7, "args": "a 'b", "env": [], "windows": {}, "linux": 3,},]}`,
		`{"profiles": {"x": null}}`)
	f.Add(`[]`, `{"profiles": [1]}`)
	f.Add("\xef\xbb\xbf{}", `"`)
	f.Fuzz(func(t *testing.T, launch, settings string) {
		root := t.TempDir()
		write(t, launch, root, ".vscode", "launch.json")
		write(t, settings, root, "App", "Properties", "launchSettings.json")
		_, err := FindConfiguration(root, "x", "")
		if err != nil {
			var e *fault.Error
			require.ErrorAs(t, err, &e)
			require.Contains(t, []fault.Code{fault.InvalidParameter, fault.InvalidFile}, e.Code, "%v", err)
			return
		}
	})
}
