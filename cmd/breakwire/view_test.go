package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/fixtures"
)

// breakwireSays runs the program in this process.
func breakwireSays(args ...string) (status int, out, errs string) {
	var o, e bytes.Buffer
	status = run(context.Background(), args, streams{in: strings.NewReader(""), out: &o, err: &e})
	return status, o.String(), e.String()
}

func TestViewUsage(t *testing.T) {
	dir := t.TempDir()
	copied := filepath.Join(dir, "copy.jsonl")
	text, err := os.ReadFile(fixtures.Transcript("netcoredbg", "tour-loop"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(copied, text, 0o600))
	broken := filepath.Join(dir, "broken.jsonl")
	require.NoError(t, os.WriteFile(broken, text[:5000], 0o600))
	for _, c := range []struct {
		name   string
		args   []string
		status int
		out    string // what it prints
		err    string
	}{
		{"no recording", []string{"view"}, exitUsage, "", "want one RECORDING"},
		{"two", []string{"view", "a", "b"}, exitUsage, "", "want one RECORDING"},
		{"no such file", []string{"view", filepath.Join(dir, "none")}, exitFailure, "", "open the recording"},
		{"cut off", []string{"view", broken}, exitFailure, "", "damaged: the line is cut off"},
		{"text and file", []string{"view", "--text", "-o", "x", copied}, exitUsage, "", "leave -o out"},
		{"onto itself", []string{"view", copied, "-o", copied}, exitUsage, "", "is the recording itself"},
		{"no such folder", []string{"view", copied, "-o", filepath.Join(dir, "no", "x.html")}, exitFailure, "",
			"write the page"},
		{"beside the recording", []string{"view", "--no-source", copied}, exitOK, filepath.Join(dir, "copy.html") + "\n", ""},
		{"text", []string{"view", "--text", copied}, exitOK, "LoopApp.dll  netcoredbg", ""},
		{"to standard output", []string{"view", copied, "-o", "-"}, exitOK, "<!doctype html>", ""},
		{"source from elsewhere",
			[]string{"view", copied, "--source-root", filepath.Join(fixtures.Root(), "fixtures", "programs", "dotnet")}, exitOK,
			"copy.html", filepath.Join("LoopApp", "Program.cs")},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, out, errs := breakwireSays(c.args...)
			assert.Equal(t, c.status, status, errs)
			assert.Contains(t, out, c.out)
			assert.Contains(t, errs, c.err)
			assert.NotContains(t, out+errs, "\x1b", "colours are for terminals")
		})
	}
	if info, err := os.Stat(filepath.Join(dir, "copy.html")); assert.NoError(t, err) && os.PathSeparator == '/' {
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it holds what the recording holds")
	}
}

// recordingOf writes messages as a recording; direction and body alternate.
type recordingOf struct {
	w   *bufio.Writer
	seq int
}

func (r *recordingOf) message(dir string, msg object) {
	r.seq++
	line, _ := json.Marshal(object{"t": float64(r.seq) / 10000, "dir": dir, "msg": msg})
	r.w.Write(append(line, '\n'))
}

func (r *recordingOf) event(name string, body object) {
	r.message("recv", object{"type": "event", "event": name, "body": body})
}

func (r *recordingOf) ask(command string, arguments, body object) {
	r.message("send", object{"type": "request", "seq": r.seq + 1, "command": command, "arguments": arguments})
	r.message("recv", object{"type": "response", "request_seq": r.seq, "success": true, "command": command, "body": body})
}

func writeRecording(t *testing.T, file string, tell func(*recordingOf)) {
	t.Helper()
	f, err := os.Create(file)
	require.NoError(t, err)
	r := &recordingOf{w: bufio.NewWriter(f)}
	tell(r)
	require.NoError(t, r.w.Flush())
	require.NoError(t, f.Close())
}

func hostileRecording(r *recordingOf) {
	bad := `</script><script>window.pwned=1</script><img src=x onerror="window.pwned=1"><svg onload="window.pwned=1">`
	r.ask("launch", object{"program": bad, "args": []string{bad}}, nil)
	r.event("output", object{"category": bad, "output": bad})
	r.event("output", object{"category": "stdout", "output": bad})
	r.event("stopped", object{"reason": bad, "text": bad, "threadId": 1})
	r.ask("threads", nil, object{"threads": []object{{"id": 1, "name": bad}}})
	r.ask("stackTrace", object{"threadId": 1},
		object{"stackFrames": []object{{"id": 1, "name": bad, "line": 3, "source": object{"path": "/" + bad + ".cs"}}}})
	for range 2 {
		r.ask("evaluate", object{"expression": bad, "frameId": 1}, object{"result": bad, "type": bad})
	}
}

func largeRecording(r *recordingOf) {
	const hits, lines = 20_000, 79_999
	for i := range hits {
		r.event("stopped", object{"reason": "breakpoint", "threadId": 1 + i%4})
		r.ask("stackTrace", object{"threadId": 1 + i%4},
			object{"stackFrames": []object{{"id": i, "name": "Work()", "line": 7, "source": object{"path": "/src/Large.cs"}}}})
		r.ask("evaluate", object{"expression": "i", "frameId": i}, object{"result": fmt.Sprint(i), "type": "int"})
		r.ask("continue", object{"threadId": 1 + i%4}, nil)
		for k := range lines / hits {
			r.event("output",
				object{"category": []string{"stdout", "stderr"}[k%2], "output": fmt.Sprintf("line %d of %d\n", k, i)})
		}
	}
	for range lines % hits {
		r.event("output", object{"category": "stdout", "output": "end\n"})
	}
	r.event("terminated", nil)
}

// The pages in a browser. BREAKWIRE_PICTURES names a folder for the pictures.
func TestViewInBrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skipf("no Chromium: %v", err)
	}
	if long := os.TempDir(); len(long) > 60 {
		t.Skipf("Chromium's socket does not fit below %s", long)
	}
	command := fixtures.ForeignBrowser(t)
	dir := t.TempDir()
	pictures := os.Getenv("BREAKWIRE_PICTURES")
	if pictures == "" {
		pictures = dir
	}
	hostile, large := filepath.Join(dir, "hostile.jsonl"), filepath.Join(dir, "large.jsonl")
	writeRecording(t, hostile, hostileRecording)
	writeRecording(t, large, largeRecording)
	args := append(command[1:], browser, pictures)
	for name, recording := range map[string]string{"a": fixtures.Transcript("netcoredbg", "tracepoint-loop-500"),
		"b": hostile, "c": large} {
		out, err := exec.Command(fixtures.Breakwire(t), "view", recording, "-o", filepath.Join(dir, name+".html"),
			"--source-root", filepath.Join(fixtures.Root(), "fixtures", "programs", "dotnet")).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	for _, name := range []string{"a", "b", "c"} {
		args = append(args, filepath.Join(dir, name+".html"))
	}
	text, err := exec.Command(command[0], args...).CombinedOutput()
	require.NoError(t, err, "%s", text)
	assert.Equal(t, "the pages hold\n", string(text))
	for _, name := range []string{"wide-light", "wide-zoomed", "wide-dark", "phone-dark", "large"} {
		f, err := os.Open(filepath.Join(pictures, name+".png"))
		require.NoError(t, err)
		picture, err := png.Decode(f)
		f.Close()
		require.NoError(t, err, name)
		colours := make(map[[3]uint32]bool)
		for y := 0; y < picture.Bounds().Dy(); y += 3 {
			for x := 0; x < picture.Bounds().Dx(); x += 3 {
				r, g, b, _ := picture.At(x, y).RGBA()
				colours[[3]uint32{r, g, b}] = true
			}
		}
		assert.Greater(t, len(colours), 50, "%s is not blank", name)
	}
}
