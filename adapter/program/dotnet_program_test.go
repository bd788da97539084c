package program

import (
	"breakwire/adapter/fault"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDotnetProgram(t *testing.T) {
	managed, err := os.ReadFile("../../fixtures/programs/dotnet/LoopApp/bin/LoopApp.dll")
	require.NoError(t, err)
	dll := string(managed)
	const project = `<Project Sdk="Microsoft.NET.Sdk">` +
		`<PropertyGroup><OutputType>Exe</OutputType></PropertyGroup></Project>`
	for _, test := range []struct {
		name  string
		files map[string]string
		give  string
		want  string
		code  fault.Code
		says  string
	}{
		{name: "assembly", files: map[string]string{"App.dll": dll}, give: "App.dll", want: "App.dll"},
		{name: "no assembly", files: map[string]string{"App.dll": "text"}, give: "App.dll", code: fault.LaunchFailed,
			says: "not a .NET assembly"},
		{name: "host", files: map[string]string{"App": "elf", "App.dll": dll, "App.runtimeconfig.json": "{}"},
			give: "App", want: "App.dll"},
		{name: "host on Windows", files: map[string]string{"App.exe": "MZ", "App.dll": dll,
			"App.runtimeconfig.json": "{}"}, give: "App.exe", want: "App.dll"},
		{name: "host with a dot in its name", files: map[string]string{"My.App": "elf", "My.App.dll": dll,
			"My.App.runtimeconfig.json": "{}", "My.dll": dll, "My.runtimeconfig.json": "{}"}, give: "My.App",
			want: "My.App.dll"},
		{name: "executable with nothing beside it", files: map[string]string{"App": "elf"}, give: "App", want: "App"},
		{name: "executable beside a library", files: map[string]string{"App": "elf", "App.dll": dll}, give: "App",
			want: "App"},
		{name: "project", files: map[string]string{
			"App.csproj": project, "bin/Release/net8.0/App.dll": dll, "bin/Release/net8.0/App.runtimeconfig.json": "{}",
			"bin/Debug/net9.0/App.dll": dll, "bin/Debug/net9.0/App.runtimeconfig.json": "{}",
			"bin/Debug/net9.0/ref/App.dll": dll, "bin/Debug/net9.0/ref/App.runtimeconfig.json": "{}",
		}, give: "App.csproj", want: "bin/Debug/net9.0/App.dll"},
		{name: "project with a name of its own", files: map[string]string{
			"App.csproj":    `<Project><PropertyGroup><AssemblyName>Other</AssemblyName></PropertyGroup></Project>`,
			"bin/Other.dll": dll, "bin/Other.runtimeconfig.json": "{}", "bin/App.dll": dll,
		}, give: "App.csproj", want: "bin/Other.dll"},
		{name: "folder of a project", files: map[string]string{"App.fsproj": project, "bin/App.dll": dll,
			"bin/App.runtimeconfig.json": "{}"}, give: ".", want: "bin/App.dll"},
		{name: "built into artifacts", files: map[string]string{
			"src/App/App.csproj": project, "artifacts/bin/App/debug/App.dll": dll,
			"artifacts/bin/App/debug/App.runtimeconfig.json": "{}",
		}, give: "src/App/App.csproj", want: "artifacts/bin/App/debug/App.dll"},
		{name: "not built", files: map[string]string{"App.csproj": project}, give: "App.csproj", code: fault.LaunchFailed,
			says: "dotnet build"},
		{name: "library", files: map[string]string{"Lib.csproj": project, "bin/Lib.dll": dll}, give: "Lib.csproj",
			code: fault.LaunchFailed, says: "library"},
		{name: "solution", files: map[string]string{"All.sln": ""}, give: "All.sln", code: fault.LaunchFailed,
			says: "one of its projects"},
		{name: "two projects", files: map[string]string{"a.csproj": project, "b.csproj": project}, give: ".",
			code: fault.InvalidPath, says: "say which one"},
		{name: "folder without a project", files: map[string]string{"a.txt": ""}, give: ".", code: fault.InvalidPath,
			says: "without a .NET project"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range test.files {
				file := write(t, text, dir, name)
				at := time.Now().Add(-time.Hour) // the expected file is the newest
				if test.want != "" && file == filepath.Join(dir, test.want) {
					at = time.Now()
				}
				require.NoError(t, os.Chtimes(file, at, at))
			}
			got, err := DotnetProgram(filepath.Join(dir, test.give))
			if test.code != "" {
				require.Equal(t, test.code, fault.CodeOf(err))
				require.ErrorContains(t, err, test.says)
				return
			}
			require.NoError(t, err)
			require.Equal(t, filepath.Join(dir, test.want), got)
		})
	}
}

func TestBundle(t *testing.T) {
	dir := t.TempDir()
	place := make([]byte, 8)
	host := write(t, "code"+string(place)+string(bundleMark), dir, "host")
	binary.LittleEndian.PutUint64(place, 4096)
	bundle := write(t, "code"+string(place)+string(bundleMark), dir, "bundle")
	require.False(t, IsBundle(host), "its assembly is a file")
	require.True(t, IsBundle(bundle))
	require.False(t, IsBundle(write(t, string(bundleMark), dir, "cut")))
	require.False(t, IsBundle(filepath.Join(dir, "missing")))
}

func TestEnvironmentNames(t *testing.T) {
	text := func(s string) *string { return &s }
	require.NoError(t, CheckEnv(map[string]*string{"A": text("1"), "B": nil, "ProgramFiles(x86)": text("")}))
	for _, env := range []map[string]*string{{"": text("1")}, {"A=B": nil}, {"A": text("\x00")}} {
		require.Equal(t, fault.InvalidParameter, fault.CodeOf(CheckEnv(env)))
	}
}
