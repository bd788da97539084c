package mcpserver_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/fixtures"
)

func javascript(t *testing.T) *mcptest.Client {
	t.Setenv("JS_DEBUG_PATH", fixtures.JSDebug(t))
	return binary()(t, "")
}

// A worker thread and a forked process are child sessions, which wait until their breakpoints are set.
func TestLiveJavaScriptChildren(t *testing.T) {
	c := javascript(t)
	family := fixtures.Program("js", "family.js")
	c.Do("breakpoint_set", mcptest.Args{"file": family, "line": fixtures.MarkIn(t, family, "work")})
	parent := c.Do("debug_launch", mcptest.Args{"program": family, "stop_at_entry": false}).String("session.sessionId")
	for _, n := range []string{"21", "4"} {
		child := ""
		require.Eventually(t, func() bool {
			list := c.Do("sessions_list", nil)
			for i := range list.Len("sessions") {
				s := list.At("sessions." + strconv.Itoa(i))
				if s.String("state") == "paused" {
					child = s.String("sessionId")
					require.Equal(t, parent, s.String("parentSessionId"))
				}
			}
			return child != ""
		}, mcptest.Patience, 20*time.Millisecond)
		r := c.Do("evaluate", mcptest.Args{"expression": "n", "session_id": child})
		require.Equal(t, n, r.String("value"))
		// A list may have shown it running before, so the stop is held until an answer has it.
		if c.Do("debug_continue", mcptest.Args{"session_id": child}).Bool("unseen") {
			c.Do("debug_continue", mcptest.Args{"session_id": child})
		}
		require.Eventually(t, func() bool {
			return !strings.Contains(string(c.Do("sessions_list", nil).Raw), `"`+child+`"`)
		}, mcptest.Patience, 20*time.Millisecond)
	}
	require.Eventually(t, func() bool {
		return c.Do("debug_state", mcptest.Args{"session_id": parent}).String("session.state") == "terminated"
	}, mcptest.Patience, 20*time.Millisecond)
	text := c.Do("process_read_output", mcptest.Args{"tail_lines": 100, "session_id": parent}).String("stdout")
	require.Equal(t, "worker 42\nchild 8\nall done 0\n", text, "also of the child, and without the debugger's words")
}

// A resume of a program that waits for its worker ends when the worker stops, and so does a start.
func TestLiveJavaScriptWaitsForAWorker(t *testing.T) {
	c := javascript(t)
	family := fixtures.Program("js", "family.js")
	c.Do("breakpoint_set", mcptest.Args{"file": family, "line": fixtures.MarkIn(t, family, "work")})
	for _, entry := range []bool{true, false} {
		r := c.Do("debug_launch", mcptest.Args{"program": family, "stop_at_entry": entry, "wait": true})
		parent := r.String("session.sessionId")
		said := r.String("warning")
		if entry {
			require.Equal(t, "entry", r.String("stop.reason"), "%s", r.Raw)
			r = c.Do("debug_continue", mcptest.Args{"wait": true})
			require.Equal(t, "child_stopped", r.String("reason"), "%s", r.Raw)
			said = r.String("note")
		}
		require.False(t, r.Bool("timedOut"), "%s", r.Raw)
		require.Contains(t, said, "stands at a stop")
		r = c.Do("breakpoint_wait", nil)
		require.NotEqual(t, parent, r.String("session.sessionId"), "%s", r.Raw)
		require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
		c.Do("debug_disconnect", mcptest.Args{"session_id": parent})
	}
}

// Hits of native log points are exact, also at the program's first line, and leave nothing in its output.
func TestLiveJavaScriptLogPoints(t *testing.T) {
	c := javascript(t)
	loop, family := fixtures.Program("js", "loop.js"), fixtures.Program("js", "family.js")
	id := c.Do("tracepoint_set", mcptest.Args{"file": loop, "line": 13, "strategy": "native",
		"log_message": "{i} {nosuch} {`${square}`}"}).String("breakpoint.id")
	first := c.Do("tracepoint_set", mcptest.Args{"file": family, "line": 3, "strategy": "native",
		"log_message": "first"}).String("breakpoint.id")
	r := c.Do("debug_launch", mcptest.Args{"program": loop, "args": []string{"300"}, "stop_at_entry": true})
	require.Equal(t, "entry", r.String("stop.reason"), "%s", r.Raw)
	require.Equal(t, "exited", c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
	hits := c.Do("breakpoint_list", nil)
	require.Equal(t, 300, hits.Int("breakpoints.0.hitCount"), "%s: %s", id, hits.Raw)
	require.Equal(t, "7 <error: ReferenceError: nosuch is not defined> 49", messages(c, id)[7])
	text := c.Do("process_read_output", mcptest.Args{"tail_lines": 100}).String("stdout")
	require.NotContains(t, text, "\x1e")
	require.True(t, strings.HasPrefix(text, "start 300\nprogress i=0"), "%q", text)
	c.Do("debug_launch", mcptest.Args{"program": family, "args": []string{"child"}, "stop_at_entry": false})
	require.Eventually(t, func() bool { return len(messages(c, first)) > 0 }, mcptest.Patience, 20*time.Millisecond)
	require.Equal(t, []string{"first"}, messages(c, first))
}

// Exceptions by class, with and without those below it, caught and not; and what is known of one.
func TestLiveJavaScriptExceptions(t *testing.T) {
	file := fixtures.Program("js", "errors.js")
	line := func(mark string) int { return fixtures.MarkIn(t, file, mark) }
	for _, test := range []struct {
		name  string
		args  mcptest.Args
		lines []int
	}{
		{"with subtypes", mcptest.Args{"exception_type": "AppError", "include_subtypes": true,
			"break_on_first_chance": true}, []int{line("store"), line("app"), line("store")}},
		{"exactly", mcptest.Args{"exception_type": "AppError", "include_subtypes": false,
			"break_on_first_chance": true}, []int{line("app")}},
		{"a text", mcptest.Args{"exception_type": "string", "break_on_first_chance": true}, []int{line("text")}},
		{"uncaught", mcptest.Args{"exception_type": "Error", "include_subtypes": true,
			"break_on_first_chance": false}, []int{line("store")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := javascript(t)
			// js-debug takes exceptions for breakpoints in a file that has some.
			c.Do("breakpoint_set", mcptest.Args{"file": file, "line": line("type") - 1, "condition": "false"})
			c.Do("breakpoint_set_exception", test.args)
			r := c.Do("debug_launch", mcptest.Args{"program": file, "stop_at_entry": false, "wait": true})
			var lines []int
			for r.Has("stop") {
				lines = append(lines, r.Int("stop.location.line"))
				if len(lines) == 1 && test.name == "uncaught" {
					e := c.Do("exception_get_context", nil)
					require.Equal(t, []string{"StoreError", "no b", "unhandled"}, []string{e.String("exception.type"),
						e.String("exception.message"), e.String("exception.breakMode")})
					require.Equal(t, "code", e.String("exception.members.0.name"), "%s", e.Raw)
					require.Equal(t, "SyntaxError", e.String("innerExceptions.0.type"))
					require.Equal(t, "7", c.Do("evaluate", mcptest.Args{"expression": "$exception.code"}).String("value"))
				}
				r = c.Do("debug_continue", mcptest.Args{"wait": true})
			}
			require.Equal(t, test.lines, lines)
			require.Equal(t, 1, r.Int("session.exitCode"), "%s", r.Raw)
		})
	}
}

// js-debug's sockets and files are in the session's folder, and go with it. The program keeps its own folder.
func TestLiveJavaScriptLeavesNoFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("folders for temporary files have names there that are too long for sockets in them")
	}
	temp, err := os.MkdirTemp("/tmp", "js") // t.TempDir is too long
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(temp) })
	t.Setenv("TMPDIR", temp)
	inFolders := func() []string { // what is in the folders of the sessions
		files, err := filepath.Glob(filepath.Join(temp, "breakwire-tmp-*", "*", "*"))
		require.NoError(t, err)
		return files
	}
	c := javascript(t)
	crew := fixtures.Program("js", "crew.js")
	id := c.Do("debug_launch", mcptest.Args{"program": crew, "stop_at_entry": false}).String("session.sessionId")
	require.Eventually(t, func() bool {
		return strings.Count(string(c.Do("sessions_list", nil).Raw), `"state":"running"`) == 3
	}, mcptest.Patience, 20*time.Millisecond)
	require.Contains(t, strings.Join(inFolders(), "\n"), "node-cdp")
	c.Do("debug_pause", mcptest.Args{"session_id": id})
	r := c.Do("evaluate", mcptest.Args{"session_id": id, "expression": "process.env.TMPDIR"})
	require.Equal(t, temp, strings.Trim(r.String("value"), "'\""), "%s", r.Raw)
	c.Do("debug_disconnect", mcptest.Args{"session_id": id})
	waitUntil(t, func() bool { return len(inFolders()) == 0 })
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	require.NoError(t, err)
	require.Len(t, left, 1, "only the server's own folder stays until it ends: %q", left)
}

// What a library throws and somebody catches stops only without just_my_code; the breakpoint says so.
func TestLiveJavaScriptLibraryThrows(t *testing.T) {
	folder := writeFiles(t, map[string]string{
		"node_modules/lib/package.json": "{}",
		"node_modules/lib/index.js":     "exports.f = () => {\n  throw new RangeError('out');\n};\n",
		"main.js":                       "try {\n  require('lib').f();\n} catch {\n  console.log('caught');\n}\n",
	})
	for mine, reason := range map[bool]string{true: "exited", false: "exception"} {
		c := javascript(t)
		c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "RangeError"})
		c.Do("debug_launch", mcptest.Args{"program": filepath.Join(folder, "main.js"), "just_my_code": mine})
		said := c.Do("breakpoint_list", nil).String("breakpoints.0.message")
		require.Equal(t, mine, strings.Contains(said, "just_my_code=false"), said)
		require.Equal(t, reason, c.Do("debug_continue", mcptest.Args{"wait": true}).String("reason"))
	}
}

// V8 takes a rejected promise as uncaught when it has no handler at that moment; the stop says that one may come.
func TestLiveJavaScriptRejections(t *testing.T) {
	folder := writeFiles(t, map[string]string{"r.js": "async function early() {\n  throw new TypeError('early');\n}\n" +
		"early().catch(() => {});\nprocess.nextTick(() => {\n  throw new RangeError('real');\n});\n"})
	c := javascript(t)
	r := c.Do("debug_launch", mcptest.Args{"program": filepath.Join(folder, "r.js"), "stop_at_entry": false, "wait": true})
	if r.String("stop.exception.type") == "TypeError" { // node 24 sees that the handler comes
		require.Contains(t, r.String("stop.text"), "has no handler yet")
		r = c.Do("debug_continue", mcptest.Args{"wait": true})
	}
	require.Equal(t, "RangeError", r.String("stop.exception.type"), "%s", r.Raw)
	require.False(t, r.Has("stop.text"), "%s", r.Raw)
	require.Equal(t, 1, c.Do("debug_continue", mcptest.Args{"wait": true}).Int("session.exitCode"))
}

// Breakpoints, stops and stacks of TypeScript are in its own files, also when one of those is the program.
func TestLiveTypeScript(t *testing.T) {
	c := javascript(t)
	counter := fixtures.Program("js", "ts/src/counter.ts")
	c.Do("breakpoint_set", mcptest.Args{"file": counter, "line": 11})
	r := c.Do("debug_launch", mcptest.Args{"program": fixtures.Program("js", "ts/src/main.ts")})
	require.Equal(t, fixtures.Program("js", "ts/src/main.ts"), r.String("stop.location.file"), "%s", r.Raw)
	require.Equal(t, "node "+fixtures.Program("js", "ts/dist/main.js"), r.String("ran"))
	r = c.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, counter, r.String("stop.location.file"), "%s", r.Raw)
	require.Equal(t, 11, r.Int("stop.location.line"))
	require.Equal(t, fixtures.Program("js", "ts/src/main.ts"),
		c.Do("stacktrace_get", nil).String("frames.1.location.file"))
	c.Do("debug_disconnect", nil)
}

// A script of a package: the session is the node of the script, not npm nor what runs before it.
func TestLiveJavaScriptScript(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("SKIPPED: there is no npm")
	}
	folder := writeFiles(t, map[string]string{
		"package.json": `{"scripts": {"build": "node -e 1", "preserve": "node -e 2", ` +
			`"serve": "npm run build && node serve.js"}}`,
		"serve.js": "const n = process.argv.length;\nconsole.log('serve', process.argv[2], n);\nprocess.exitCode = n;\n",
	})
	c := javascript(t)
	r := c.Do("debug_launch", mcptest.Args{"program": folder, "args": []string{"run", "serve", "--", "a b"}})
	require.Equal(t, filepath.Join(folder, "serve.js"), r.String("stop.location.file"), "%s", r.Raw)
	require.Equal(t, "npm run serve -- 'a b' (in "+folder+")", r.String("ran"))
	pid := c.Do("evaluate", mcptest.Args{"expression": "process.pid"}).String("value")
	require.Equal(t, pid, strconv.Itoa(r.Int("session.processId")))
	r = c.Do("debug_continue", mcptest.Args{"wait": true})
	require.Equal(t, 3, r.Int("session.exitCode"), "%s", r.Raw)
	require.Contains(t, c.Do("process_read_output", mcptest.Args{"tail_lines": 9}).String("stdout"), "serve a b 3")
	c.Do("debug_launch", mcptest.Args{"program": filepath.Join(folder, "package.json"), "args": []string{"serve"}})
	c.Do("debug_disconnect", nil)
}

// A program elsewhere that listens, with its files here.
func TestLiveJavaScriptConnect(t *testing.T) {
	c := javascript(t)
	there := writeFiles(t, map[string]string{"tick.js": "let n = 0;\nsetInterval(() => {\n  n++;\n}, 20);\n"})
	here := writeFiles(t, map[string]string{"tick.js": "let n = 0;\nsetInterval(() => {\n  n++;\n}, 20);\n"})
	node := exec.Command("node", "--inspect=127.0.0.1:0", filepath.Join(there, "tick.js"))
	said, err := node.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, node.Start())
	t.Cleanup(func() { _ = node.Process.Kill(); _ = node.Wait() })
	line, err := bufio.NewReader(said).ReadString('\n')
	require.NoError(t, err)
	_, address, _ := strings.Cut(line, "ws://")
	address, _, _ = strings.Cut(address, "/")
	c.Do("breakpoint_set", mcptest.Args{"file": filepath.Join(here, "tick.js"), "line": 3})
	r := c.Do("debug_attach", mcptest.Args{"connect": address, "backend": "js-debug", "wait": true,
		"path_map": []string{there + "=" + here}})
	require.Equal(t, filepath.Join(here, "tick.js"), r.String("stop.location.file"), "%s", r.Raw)
	require.False(t, c.Do("debug_disconnect", nil).Bool("wasTerminated"))
	e := c.Refused(fault.AttachFailed, "debug_attach", mcptest.Args{"connect": "127.0.0.1:1", "backend": "js-debug"})
	require.Contains(t, e.String("error.message"), "start the program with --inspect=127.0.0.1:1")
}

// A page in Chromium: its scripts are the files of the working folder.
func TestLiveJavaScriptPage(t *testing.T) {
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("SKIPPED: there is no chromium")
	}
	folder := writeFiles(t, map[string]string{"index.html": "<title>shop</title><script src=page.js></script>",
		"page.js": "" +
			"let total = 0;\nfunction add(n) {\n  total += n;\n}\nsetInterval(() => add(2), 50);\nconsole.log('runs');\n"})
	web := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(web.Close)
	c := javascript(t)
	c.Do("breakpoint_set", mcptest.Args{"file": filepath.Join(folder, "page.js"), "line": 3})
	r := c.Do("debug_launch", mcptest.Args{"url": web.URL + "/index.html", "cwd": folder, "wait": true,
		"timeout_ms": 120_000})
	require.Equal(t, filepath.Join(folder, "page.js"), r.String("stop.location.file"), "%s", r.Raw)
	require.Equal(t, 3, r.Int("stop.location.line"))
	require.Equal(t, "2", c.Do("evaluate", mcptest.Args{"expression": "n"}).String("value"))
	require.Equal(t, "'shop'", c.Do("evaluate", mcptest.Args{"expression": "document.title"}).String("value"))
	require.Equal(t, "add", strings.TrimPrefix(c.Do("stacktrace_get", nil).String("frames.0.function"), "Window."))
	require.Equal(t, "runs\n", c.Do("process_read_output", mcptest.Args{"tail_lines": 9}).String("stdout"))
	require.True(t, c.Do("debug_disconnect", nil).Bool("wasTerminated"))
}

// A test by its name, by each runner: the start stops at the test, a breakpoint in what it tests binds and stops, and
// the exit code is the runner's.
func TestLiveJavaScriptRunners(t *testing.T) {
	modules := fixtures.NodeRunners(t)
	const cart = "export function total(prices: number[]): number {\n  let sum = 0;\n" +
		"  for (const price of prices) {\n    sum += price;\n  }\n  return sum;\n}\n"
	const body = "describe('cart', () => {\n  it('adds prices', () => {\n    const sum = total([1, 2]);\n" +
		"    if (sum !== 4) throw new Error('sum is ' + sum);\n  });\n  it('is empty', () => {\n    total([]);\n" +
		"  });\n});\n"
	const plain = "exports.total = (prices) => {\n  let sum = 0;\n  for (const price of prices) {\n" +
		"    sum += price;\n  }\n  return sum;\n};\n"
	const requiring = "const { total } = require('./cart');\n"
	const importing = "import { total } from './cart';\n"
	const config = `{"compilerOptions": {"module": "commonjs", "target": "es2022", "moduleResolution": "node"}}`
	for _, test := range []struct {
		runner, file, head, source, text string
		without                          string // a module that the project does not have
	}{
		{runner: "jest", file: "cart.test.js", head: requiring, source: "cart.js", text: plain},
		{runner: "mocha", file: "cart.test.js", head: requiring, source: "cart.js", text: plain},
		{runner: "mocha", file: "cart.test.ts", head: importing, source: "cart.ts", text: cart},
		{runner: "vitest", file: "cart.test.ts", head: "import { describe, it } from 'vitest'; " + importing,
			source: "cart.ts", text: cart},
		{runner: "node", file: "cart.test.ts", head: "import { describe, it } from 'node:test'; " + importing,
			source: "cart.ts", text: cart},
		{runner: "node", file: "cart.test.ts", head: "import { describe, it } from 'node:test'; " + importing,
			source: "cart.ts", text: cart, without: "tsx"},
	} {
		t.Run(test.runner+" "+test.file+" without "+test.without, func(t *testing.T) {
			folder := writeFiles(t, map[string]string{
				"package.json":  `{"devDependencies": {"` + test.runner + `": "*"}}`,
				"tsconfig.json": config, test.file: test.head + body, test.source: test.text,
				"node_modules/.keep": "",
			})
			linkModules(t, modules, filepath.Join(folder, "node_modules"), test.without)
			c := javascript(t)
			c.Do("breakpoint_set", mcptest.Args{"file": filepath.Join(folder, test.source), "line": 4})
			r := c.Do("debug_launch", mcptest.Args{"program": folder, "test": "cart > adds prices", "wait": true,
				"timeout_ms": 120_000})
			require.Equal(t, filepath.Join(folder, test.file), r.String("stop.location.file"), "%s", r.Raw)
			require.Equal(t, 4, r.Int("stop.location.line"), "%s", r.Raw)
			require.Equal(t, "entry", r.String("stop.reason"))
			require.Equal(t, "it runs the test", r.String("session.backendReason"))
			for _, sum := range []string{"0", "1"} {
				r = c.Do("debug_continue", mcptest.Args{"wait": true, "timeout_ms": 120_000})
				require.Equal(t, filepath.Join(folder, test.source), r.String("stop.location.file"), "%s", r.Raw)
				require.Equal(t, 4, r.Int("stop.location.line"))
				require.Equal(t, sum, c.Do("evaluate", mcptest.Args{"expression": "sum"}).String("value"))
			}
			for r.Has("stop") { // the error of the test
				r = c.Do("debug_continue", mcptest.Args{"wait": true, "timeout_ms": 120_000})
			}
			require.Equal(t, "exited", r.String("reason"), "%s", r.Raw)
			require.Equal(t, 1, r.Int("session.exitCode"), "%s", r.Raw)
		})
	}
}

// linkModules links the modules of one project into another, without those of one name.
func linkModules(t *testing.T, from, to, without string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	require.NoError(t, err)
	for _, e := range entries {
		if e.Name() != without {
			require.NoError(t, os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())))
		}
	}
}
