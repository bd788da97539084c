package program

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
)

const scanned = `import { test } from 'vitest'; // test('no', () => {})
const re = /test\('no', \)/, s = "it('no', f)", t = ` + "`it('no', ${`it('no', f)`})`" + `;
describe("cart", { timeout: 5 }, function () {
  const half = 4 / 2; if (re.test('no')) { }
  it('is "empty"', async () => {
    // first

    const n = 1;
  });
  it.skip("has one",
    () => expect(1).toBe(1));
  describe.each([[1, "it('no', f)"], [2]])('with %i', (n) => {
    test(` + "`adds ${n}`" + `, done => { done() });
  });
});
test('outer', { skip: { a: 1 } }, async (t) => {
  await t.test('inner', async function named({ a }) {
    a();
  });
});
test(dynamic, () => {});
xdescribe('old', () => {
  it('in it', () => {
    b();
  });
});
`

func TestNodeTestsOfAFile(t *testing.T) {
	file := write(t, scanned, t.TempDir(), "a.test.ts")
	type row struct {
		full         string
		suite, inner bool
		line         int
		skips        bool
	}
	var got []row
	for _, n := range nodeTests(file) {
		require.Equal(t, file, n.file)
		got = append(got, row{n.full(), n.suite, n.inner, n.line, n.skips})
	}
	require.Equal(t, []row{
		{"cart", true, false, 4, false}, {`cart is "empty"`, false, false, 8, false},
		{"cart has one", false, false, 11, true}, {"cart with %i", true, false, 13, false},
		{"cart with %i adds ${}", false, false, 13, false}, {"outer", false, false, 17, false},
		{"outer inner", false, true, 18, false}, {"old", true, false, 23, true}, {"old in it", false, false, 24, true},
	}, got)
	for _, broken := range []string{"it('", "describe(", "it.each(", "it('a',", "`${", "/",
		"test('a', () =>", "'\n", "/*"} {
		_ = nodeTests(write(t, broken, t.TempDir(), "a.test.js")) // no panic
	}
}

func TestNodeTestByName(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names of commands differ")
	}
	module := func(name, script string) map[string]string {
		return map[string]string{"node_modules/" + name + "/package.json": `{"bin": {"` + name + `": "` + script + `"}}`,
			"node_modules/" + name + "/" + script: ""}
	}
	body := "describe('cart', () => {\n  it('is empty', () => {\n    x();\n  });\n" +
		"  it('adds %i', () => {\n    y();\n  });\n});\n"
	for _, test := range []struct {
		name, test string
		files      map[string]string
		program    string
		args       []string
		want       Test
		line       int
	}{
		{"node by its import", "is empty", map[string]string{"a.test.mjs": "import {it} from 'node:test'\n" + body},
			"a.test.mjs",
			[]string{"--test-only"}, Test{Program: "a.test.mjs",
				Extra: map[string]any{"runtimeArgs": []string{"--test-name-pattern=^is empty$", "--test-only"}},
				Ran:   "node '--test-name-pattern=^is empty$' --test-only {}/a.test.mjs (in {})"}, 4},
		{"jest by the script", "cart > is empty", merged(module("jest", "bin/jest.js"), map[string]string{
			"package.json": `{"scripts": {"test": "jest --ci"}}`, "src/a.test.js": body}), ".", nil,
			Test{Program: "node_modules/jest/bin/jest.js",
				Args: []string{"--runInBand", "--testTimeout=3600000", "--runTestsByPath", "src/a.test.js", "-t",
					"^cart is empty$"},
				Ran: "jest --runInBand --testTimeout=3600000 --runTestsByPath src/a.test.js -t '^cart is empty$' (in {})"}, 3},
		{"mocha by the dependency", "adds %i", merged(module("mocha", "bin/mocha.js"), map[string]string{
			"package.json": `{"devDependencies": {"mocha": "1"}}`, "test/a.js": body}), "package.json", []string{"-b"},
			Test{Program: "node_modules/mocha/bin/mocha.js",
				Args: []string{"--no-parallel", "--timeout", "0", "test/a.js", "-g", "^cart adds .*$", "-b"},
				Ran:  "mocha --no-parallel --timeout 0 test/a.js -g '^cart adds .*$' -b (in {})"}, 6},
		{"vitest that is installed; a suite", "cart", merged(module("vitest", "vitest.mjs"), map[string]string{
			"package.json": `{}`, "a.spec.ts": body}), ".", nil, Test{Program: "a.spec.ts", Extra: map[string]any{"program": "",
			"runtimeExecutable": "{}/node_modules/.bin/vitest", "runtimeArgs": []string{"run", "--no-file-parallelism",
				"--pool=forks", "--testTimeout=0", "--hookTimeout=0", "a.spec.ts", "-t", "^cart "}},
			Ran: "vitest run --no-file-parallelism --pool=forks " +
				"--testTimeout=0 --hookTimeout=0 a.spec.ts -t '^cart ' (in {})"}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := project(t, test.files)
			full := func(text string) string { return strings.ReplaceAll(text, "{}", folder) }
			got, err := FindTest(t.Context(), asked(test.test, filepath.Join(folder, test.program), test.args...))
			require.NoError(t, err)
			require.Equal(t, "js-debug", got.Backend)
			require.Equal(t, filepath.Join(folder, test.want.Program), got.Program)
			require.Equal(t, test.want.Args, got.Args)
			require.Equal(t, full(test.want.Ran), got.Ran)
			require.Equal(t, folder, got.Cwd)
			require.Equal(t, test.line, got.Entry.Line)
			for name, value := range test.want.Extra {
				if text, ok := value.(string); ok {
					value = full(text)
				}
				require.Equal(t, value, got.Extra[name], name)
			}
		})
	}
	folder := project(t, map[string]string{"package.json": `{"scripts":{"test":"jest"}}`, "a.test.js": body,
		"b.test.js": body, "node_modules/x/c.test.js": "it('hidden', () => {})"})
	for name, text := range map[string]string{
		"is emtpy": "the nearest of 3: cart is empty", "hidden": "no test in",
		"is empty": "2 tests are named is empty; give one of a.test.js: cart is empty, b.test.js: cart is empty"} {
		_, err := FindTest(t.Context(), asked(name, folder))
		require.ErrorContains(t, err, text)
		require.Equal(t, fault.InvalidParameter, fault.CodeOf(err))
	}
	_, err := FindTest(t.Context(), asked("is empty", filepath.Join(folder, "a.test.js")))
	require.ErrorContains(t, err, "jest runs the tests of")
	require.ErrorContains(t, err, "npm install")
}

// A runner that takes more than the test that was asked for says so.
func TestNodeTestsThatAlsoRun(t *testing.T) {
	suite := func(name, test string) string {
		return "describe('" + name + "', () => {\n  it(" + test + ", () => {\n  });\n});\n"
	}
	body := suite("A", "'same'") + suite("A more", "'same'") + suite("Ab", "'other'") + suite("t", "`row ${n + 1} is`")
	folder := project(t, map[string]string{
		"node.test.js":                    "const {it} = require('node:test');\n" + body,
		"mocha.test.js":                   "require('mocha');\n" + body,
		"node_modules/mocha/package.json": `{"bin": {"mocha": "m.js"}}`, "node_modules/mocha/m.js": "",
	})
	for _, tt := range []struct{ file, name, want string }{
		{"node.test.js", "A > same", "; the runner takes these by the same name: A more same"},
		{"mocha.test.js", "A > same", ""},
		{"mocha.test.js", "A", "; the runner takes these by the same name: A more same"},
		{"node.test.js", "Ab > other", ""},
		{"mocha.test.js", "Ab", ""},
		{"mocha.test.js", "row ${n + 1} is", ""},
	} {
		got, err := FindTest(t.Context(), asked(tt.name, filepath.Join(folder, tt.file)))
		require.NoError(t, err, tt.name)
		require.Equal(t, "(in "+folder+")"+tt.want, got.Ran[strings.LastIndex(got.Ran, "(in "):], tt.file+" "+tt.name)
	}
}

// merged returns the files of all maps.
func merged(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, files := range all {
		for name, text := range files {
			out[name] = text
		}
	}
	return out
}
