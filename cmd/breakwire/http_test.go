//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/fixtures"
)

// httpServer is the built binary, serving over HTTP.
type httpServer struct {
	t              testing.TB
	cmd            *exec.Cmd
	url, tokenFile string
	ended          chan error
	rest           chan string // the rest of its stderr
}

var announcement = regexp.MustCompile(`(?s)^breakwire serves MCP at (http://\S+)\nthe token that clients must send ` +
	`is in (.+)\n$`)

func startHTTP(t testing.TB, flags ...string) *httpServer {
	t.Helper()
	run := t.TempDir() // the user who runs the tests may have no such folder
	require.NoError(t, os.Chmod(run, 0o700))
	t.Setenv("XDG_RUNTIME_DIR", run)
	cmd := exec.Command(fixtures.Breakwire(t), append([]string{"--http", ":0"}, flags...)...)
	s := &httpServer{t: t, cmd: cmd, ended: make(chan error, 1), rest: make(chan string, 1)}
	stderr, err := s.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	r := bufio.NewReader(stderr)
	said := make(chan string, 1)
	go func() {
		first, _ := r.ReadString('\n')
		second, _ := r.ReadString('\n')
		said <- first + second
		rest, _ := io.ReadAll(r)
		s.rest <- string(rest)
		s.ended <- s.cmd.Wait() // nil means exit status 0
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-s.ended:
		case <-time.After(20 * time.Second):
			_ = s.cmd.Process.Kill()
			t.Error("the server did not end")
		}
	})
	text := <-said
	m := announcement.FindStringSubmatch(text)
	require.NotNil(t, m, text)
	s.url, s.tokenFile = m[1], m[2]
	return s
}

func (s *httpServer) token() string {
	s.t.Helper()
	text, err := os.ReadFile(s.tokenFile)
	require.NoError(s.t, err)
	return strings.TrimSpace(string(text))
}

// TestForeignClientsOverHTTP is TestForeignClients over HTTP.
func TestForeignClientsOverHTTP(t *testing.T) {
	d := goDebuggee(t)
	for _, test := range []struct {
		name    string
		command func(t *testing.T) []string
		more    []string
	}{
		{"TypeScript SDK", foreignTS, []string{fixtures.BuildGo(t, "quick")}},
		{"Go SDK, 2025-11-25", func(t *testing.T) []string {
			return []string{fixtures.ForeignGo(t), "-protocol", "2025-11-25"}
		}, nil},
		{"Go SDK, 2026-07-28", func(t *testing.T) []string {
			return []string{fixtures.ForeignGo(t), "-protocol", "2026-07-28"}
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			command := test.command(t)
			s := startHTTP(t)
			command = append(append(command, s.url, d.loop, d.source, d.longProgram), test.more...)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, command[0], command[1:]...)
			cmd.Env = append(os.Environ(), "BREAKWIRE_TOKEN="+s.token())
			text, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", text)
			require.True(t, strings.HasSuffix(string(text), "the whole session passed\n"), "%s", text)
			t.Logf("%s", text)
		})
	}
}

func foreignTS(t *testing.T) []string { return fixtures.ForeignTS(t) }

// TestHTTPOfTheBinary checks the token's file, access control, and a graceful end with a paused program.
func TestHTTPOfTheBinary(t *testing.T) {
	d := goDebuggee(t)
	s := startHTTP(t)
	require.Regexp(t, `^http://127\.0\.0\.1:[1-9]\d*/mcp$`, s.url)
	info, err := os.Stat(s.tokenFile)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	session := ""
	begin := func(body string, header ...string) *http.Response {
		r, err := http.NewRequest("POST", s.url, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("Authorization", "Bearer "+s.token())
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		resp, err := client.Do(r)
		require.NoError(t, err)
		return resp
	}
	rest := func(resp *http.Response) string {
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return string(text)
	}
	post := func(body string, header ...string) (int, string) {
		resp := begin(body, header...)
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		return resp.StatusCode, rest(resp)
	}
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	status, _ := post(initialize, "Authorization", "Bearer guessed-guessed-guessed")
	require.Equal(t, 401, status)
	status, _ = post(initialize, "Origin", "http://evil.example")
	require.Equal(t, 403, status)
	status, _ = post(initialize)
	require.Equal(t, 200, status)
	status, text := post(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"debug_launch",`+
		`"arguments":{"program":%q,"backend":"dlv"}}}`, d.longProgram))
	require.Equal(t, 200, status)
	require.Contains(t, text, `"state":"paused"`)
	below := children(t, s.cmd.Process.Pid)
	require.GreaterOrEqual(t, len(below), 2)

	// Its answer begins with the first progress, so the server has the call by then.
	waiting := begin(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"breakpoint_wait",` +
		`"arguments":{"after_seq":1000000},"_meta":{"progressToken":"w"}}}`)
	require.Equal(t, 200, waiting.StatusCode)
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case err := <-s.ended:
		require.NoError(t, err)
		s.ended <- err
	case <-time.After(20 * time.Second):
		t.Fatal("SIGTERM does not end the server")
	}
	require.Empty(t, <-s.rest)
	require.Contains(t, rest(waiting), "CANCELLED", "what was waiting is answered")
	for _, pid := range below {
		requireGone(t, pid)
	}
	require.NoFileExists(t, s.tokenFile)
}

func TestHTTPUsage(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), mode))
		require.NoError(t, os.Chmod(file, mode)) // whatever the umask
		return file
	}
	for _, tc := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"all interfaces", []string{"--http", "0.0.0.0:0"}, exitUsage, "add --allow-remote"},
		{"all interfaces, IPv6", []string{"--http", "[::]:0"}, exitUsage, "add --allow-remote"},
		{"no port", []string{"--http", "localhost"}, exitUsage, "want HOST:PORT"},
		{"token without HTTP", []string{"--http-token-file", "x"}, exitUsage, "only for --http"},
		{"remote without HTTP", []string{"--allow-remote"}, exitUsage, "only for --http"},
		{"short token", []string{"--http", ":0", "--http-token-file", write("short", "abc\n", 0o600)}, exitUsage,
			"at least 16"},
		{"two words",
			[]string{"--http", ":0", "--http-token-file", write("words", "0123456789abcdef 0123456789\n", 0o600)},
			exitUsage, "one word"},
		{"open token", []string{"--http", ":0", "--http-token-file", write("open", "0123456789abcdef", 0o644)},
			exitUsage, "chmod 600"},
		{"no folder", []string{"--http", ":0", "--http-token-file", filepath.Join(dir, "no", "token")}, exitFailure,
			"make the token"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, _, said := tryRun(t, tc.args...)
			assert.Equal(t, tc.status, status, said)
			assert.Contains(t, said, tc.want)
		})
	}
}

// TestHTTPTokenFile checks that a missing file is created, and that the next server uses it.
func TestHTTPTokenFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	token, path, remove, err := httpToken(file)
	require.NoError(t, err)
	require.Equal(t, file, path)
	require.GreaterOrEqual(t, len(token), minToken)
	remove()
	again, _, _, err := httpToken(file)
	require.NoError(t, err)
	require.Equal(t, token, again)
}

// TestTokenFileOfAnotherKind checks that a file that is not regular is refused at once. Opening a named pipe without
// a writer would block for ever.
func TestTokenFileOfAnotherKind(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(pipe, link))
	for _, file := range []string{pipe, link, os.DevNull, t.TempDir()} {
		_, _, _, err := httpToken(file)
		require.ErrorContains(t, err, "no regular file", file)
		require.ErrorAs(t, err, &usageError{})
	}
}

// TestTokenFolder: in a folder that others can write to, they could replace our token by theirs.
func TestTokenFolder(t *testing.T) {
	folder := func(mode os.FileMode) string {
		dir := t.TempDir()
		require.NoError(t, os.Chmod(dir, mode))
		return dir
	}
	for _, tc := range []struct {
		name        string
		mode        os.FileMode
		own, named  string // the error about it
		breakwireIn os.FileMode
	}{
		{name: "private", mode: 0o700},
		{name: "readable", mode: 0o755},
		{name: "for the group", mode: 0o770, own: "can be written by others", named: "can be written by others"},
		{name: "for all", mode: 0o777, own: "can be written by others", named: "can be written by others"},
		{name: "sticky", mode: 0o777 | os.ModeSticky, own: "can be written by others"},
		{name: "ours in it for all", mode: 0o700, breakwireIn: 0o777, own: "can be written by others"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			check := func(err error, want string) {
				if want == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, want)
				}
			}
			dir := folder(tc.mode)
			if tc.breakwireIn != 0 {
				require.NoError(t, os.Mkdir(filepath.Join(dir, "breakwire"), 0o700))
				require.NoError(t, os.Chmod(filepath.Join(dir, "breakwire"), tc.breakwireIn))
			}
			t.Setenv("XDG_RUNTIME_DIR", dir)
			_, _, remove, err := httpToken("")
			check(err, tc.own)
			if err == nil {
				remove()
			}
			_, _, _, err = httpToken(filepath.Join(dir, "token"))
			check(err, tc.named)
		})
	}
}
