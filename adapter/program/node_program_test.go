package program

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
)

// project makes a folder with these files and returns it.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		write(t, text, folder, filepath.FromSlash(name))
	}
	return folder
}

func TestTypeScriptStart(t *testing.T) {
	tsx := map[string]string{"node_modules/tsx/package.json": "{}", "node_modules/tsx/dist/loader.mjs": "",
		"node_modules/tsx/dist/cjs/index.cjs": ""}
	for _, test := range []struct {
		name, source string
		files        map[string]string
		program      string
		options      []string
		code         fault.Code
	}{
		{"tsx", "src/a.ts", tsx, "src/a.ts", []string{"--require", "{}/node_modules/tsx/dist/cjs/index.cjs"}, ""},
		{"tsx with modules", "src/a.mts", tsx, "src/a.mts", []string{"--import",
			"file://{}/node_modules/tsx/dist/loader.mjs"},
			""},
		{"ts-node", "a.ts", map[string]string{"node_modules/ts-node/package.json": "{}",
			"node_modules/ts-node/register/transpile-only.js": "", "node_modules/typescript/package.json": "{}",
			"node_modules/typescript/lib/typescript.js": ""}, "a.ts",
			[]string{"--require", "{}/node_modules/ts-node/register/transpile-only.js"}, ""},
		{"ts-node without a compiler that it can use", "a.ts", map[string]string{"node_modules/ts-node/package.json": "{}",
			"node_modules/ts-node/register/transpile-only.js": "", "node_modules/typescript/package.json": "{}"},
			"", nil, fault.LaunchFailed},
		{"compiled beside it", "a.ts", map[string]string{"a.js": "", "a.js.map": `{"sources":["a.ts"]}`}, "a.js", nil, ""},
		{"compiled to outDir", "src/a.ts", map[string]string{
			"tsconfig.json": "{\n// \"outDir\": \"no\"\n\"compilerOptions\": {\"outDir\": \"./made\"}}",
			"made/x/a.js":   "", "made/x/a.js.map": `{"sourceRoot":"","sources":["../../src/b.ts","../../src/a.ts"]}`},
			"made/x/a.js", nil, ""},
		{"compiled by habit", "src/a.mts", map[string]string{"package.json": "{}", "dist/a.mjs": "",
			"dist/a.mjs.map": `{"sourceRoot":"../src/","sources":["a.mts"]}`}, "dist/a.mjs", nil, ""},
		{"compiled from another file", "src/a.ts", map[string]string{"package.json": "{}", "dist/a.js": "",
			"dist/a.js.map": `{"sources":["../other/a.ts"]}`}, "", nil, fault.LaunchFailed},
		{"nothing", "a.ts", nil, "", nil, fault.LaunchFailed},
		{"no TypeScript", "a.js", tsx, "a.js", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(test.name, "modules") {
				t.Skip("a drive's URL")
			}
			folder := project(t, test.files)
			source := write(t, "let a = 1\n", folder, filepath.FromSlash(test.source))
			got, err := FindNodeStart(context.Background(), NodeQuery{Program: source, Node: filepath.Join(folder, "no-node")})
			require.Equal(t, test.code, fault.CodeOf(err), "%v", err)
			if err != nil {
				require.Contains(t, err.Error(), "npm install --save-dev tsx")
				return
			}
			require.Equal(t, filepath.Join(folder, filepath.FromSlash(test.program)), got.Program)
			var want []string
			for _, o := range test.options {
				o = strings.ReplaceAll(o, "{}", filepath.ToSlash(folder))
				if !strings.HasPrefix(o, "file:") {
					o = filepath.FromSlash(o)
				}
				want = append(want, o)
			}
			require.Equal(t, want, got.Options)
			require.Equal(t, test.program != test.source || want != nil, len(got.Uses) > 0)
		})
	}
}

func TestNodeVersions(t *testing.T) {
	for version, strips := range map[string]bool{"v20.20.2": false, "v22.17.1": false, "v22.18.0": true, "v23.5.0": false,
		"v23.6.0": true, "v24.0.0": true, "": false, "x": false} {
		major, minor := versionOf(version)
		require.Equal(t, strips, runsTypes(major, minor), version)
	}
}

func TestPackageScripts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are no programs there")
	}
	npm, pnpm := touchTool(t, "npm"), touchTool(t, "pnpm")
	t.Setenv("PATH", filepath.Dir(npm)+string(filepath.ListSeparator)+filepath.Dir(pnpm))
	folder := project(t, map[string]string{
		"package.json":   `{"scripts": {"start": "node a.js", "dev": "tsx watch a.ts"}}`,
		"p/package.json": `{"scripts": {"dev": "x"}}`, "p/pnpm-lock.yaml": "",
		"y/package.json": `{"scripts": {"dev": "x"}}`, "y/yarn.lock": "",
		"m/package.json":    `{"scripts": {"dev": "x"}, "packageManager": "pnpm@9.1.0"}`,
		"none/package.json": "{}", "bad/package.json": "{",
	})
	for _, test := range []struct {
		program string
		args    []string
		runtime string
		options []string
		rest    []string
		ran     string
	}{
		{"package.json", nil, npm, []string{"run", "start"}, nil, "npm run start"},
		{".", []string{"dev"}, npm, []string{"run", "dev"}, nil, "npm run dev"},
		{".", []string{"run", "dev", "--", "-x", "1"}, npm, []string{"run", "dev", "--"}, []string{"-x", "1"},
			"npm run dev -- -x 1"},
		{"p", []string{"dev", "-x"}, pnpm, []string{"run", "dev"}, []string{"-x"}, "pnpm run dev -x"},
		{"m/package.json", []string{"dev"}, pnpm, []string{"run", "dev"}, nil, "pnpm run dev"},
		{"y", []string{"dev"}, npm, []string{"run", "dev"}, nil, "npm run dev"}, // no yarn here
	} {
		got, err := FindNodeStart(context.Background(), NodeQuery{
			Program: filepath.Join(folder, filepath.FromSlash(test.program)), Args: test.args})
		require.NoError(t, err)
		require.Equal(t, test.runtime, got.Runtime, test.program)
		require.Equal(t, test.options, got.Options)
		require.Equal(t, strings.Join(test.rest, " "), strings.Join(got.Args, " "))
		require.Empty(t, got.Program)
		require.True(t, strings.HasPrefix(got.Ran, test.ran+" (in "), got.Ran)
	}
	require.Equal(t, []string{"predev", "postdev", "build", "prebuild", "postbuild", "preserve", "postserve"},
		preparing(map[string]string{"dev": "npm run build && tsc && yarn serve --x"}, "dev"))
	for program, text := range map[string]string{".": "no script deb; name one as the first of args: dev, start; " +
		"did you mean dev?", "none": "has no scripts", "bad": "unexpected end"} {
		_, err := FindNodeStart(context.Background(), NodeQuery{Program: filepath.Join(folder, program),
			Args: []string{"deb"}})
		require.ErrorContains(t, err, text)
	}
}
