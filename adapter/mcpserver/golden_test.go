package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient/transcript"
	"breakwire/fixtures"
)

var update = flag.Bool("update", false, "write what the server answers now into fixtures/mcp")

// golden is one file of fixtures/mcp: an MCP session over a recording. Its sections are
//
//	recording     a recording below fixtures/transcripts, by backend and name
//	> TOOL        a call of a tool (or a request, when there is a / in it) with its arguments
//	<             all that the server wrote from then until nothing more came
//
// $SRC stands for the folder of the sources, which the server is told by a path map; $GONE for one that is not there.
type golden struct {
	file string
	*txtar.Archive
	recording string
	steps     []goldenStep
}

type goldenStep struct {
	at     int // of Files: the request's line
	method string
	args   string
	want   string
}

func goldens(t *testing.T) []string {
	t.Helper()
	files := fixtures.Glob("fixtures/mcp/*.txtar")
	require.NotEmpty(t, files)
	return files
}

func readGolden(t *testing.T, file string) *golden {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	g := &golden{file: file, Archive: txtar.Parse(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")))}
	for i, f := range g.Files {
		switch {
		case f.Name == "recording":
			g.recording = strings.TrimSpace(string(f.Data))
		case strings.HasPrefix(f.Name, "> "):
			g.steps = append(g.steps, goldenStep{at: i, method: f.Name[2:], args: string(f.Data)})
		case f.Name == "<":
			require.NotEmpty(t, g.steps, "an answer before the first request")
			g.steps[len(g.steps)-1].want = string(f.Data)
		default:
			t.Fatalf("%s: section %q is unknown", file, f.Name)
		}
	}
	require.NotEmpty(t, g.recording, "%s names no recording", file)
	return g
}

// save rewrites the file with these answers.
func (g *golden) save(t *testing.T, got []string) {
	t.Helper()
	out := &txtar.Archive{Comment: g.Comment}
	for _, f := range g.Files {
		if f.Name == "recording" {
			out.Files = append(out.Files, f)
		}
	}
	for i, s := range g.steps {
		out.Files = append(out.Files, txtar.File{Name: "> " + s.method, Data: []byte(s.args)},
			txtar.File{Name: "<", Data: []byte(got[i])})
	}
	require.NoError(t, os.WriteFile(g.file, txtar.Format(out), 0o644))
}

func (g *golden) open(t *testing.T) *transcript.Recording {
	t.Helper()
	backend, name := path.Split(g.recording)
	rec, err := transcript.Open(fixtures.Transcript(path.Clean(backend), name))
	require.NoError(t, err)
	t.Cleanup(func() { rec.Close() })
	return rec
}

// goldenMap is the path map of a recording: the folder of its sources here, and its name in the file.
type goldenMap struct{ from, to, name string }

// maps returns the path maps: recordings of netcoredbg have /src/PROGRAM, the others /src/LANGUAGE.
func (g *golden) maps() []goldenMap {
	dir := fixtures.Program()
	if strings.HasPrefix(g.recording, "netcoredbg/") {
		dir = fixtures.Program("dotnet")
	}
	maps := []goldenMap{{"/src", dir, "$SRC"}}
	if strings.HasPrefix(g.recording, "debugpy/") {
		maps = append(maps, goldenMap{"/src/py", fixtures.Program("python"), "$SRC/python"})
	}
	if strings.Contains(string(g.Comment), "$GONE") {
		maps[0].to, maps[0].name = "/nowhere/at/all", "$GONE"
	}
	return maps
}

// arguments replaces the names of folders.
func (g *golden) arguments(text string) json.RawMessage {
	for _, m := range g.maps() {
		quoted, _ := json.Marshal(filepath.ToSlash(m.to))
		text = strings.ReplaceAll(text, m.name, strings.Trim(string(quoted), `"`))
	}
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	return json.RawMessage(text)
}

var goldenTime = regexp.MustCompile(`^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"$`)

// normal removes from a text what depends on the machine.
func (g *golden) normal(text string) string {
	for _, m := range g.maps() {
		for _, to := range []string{m.to, filepath.ToSlash(m.to)} {
			if i := strings.Index(text, to); i >= 0 {
				text = text[:i] + m.name + strings.ReplaceAll(text[i+len(to):], `\`, "/")
			}
		}
	}
	return strings.ReplaceAll(text, filepath.FromSlash("/project/"), "/project/") // the project root
}

// render formats the server's lines for readers: a heading and the JSON for each line.
func (g *golden) render(t *testing.T, lines []json.RawMessage) string {
	t.Helper()
	var out strings.Builder
	for _, raw := range lines {
		var l struct {
			Method string
			Params json.RawMessage
			Error  json.RawMessage
			Result json.RawMessage
		}
		require.NoError(t, json.Unmarshal(raw, &l), "%s", raw)
		if strings.HasPrefix(l.Method, "notifications/resources/") {
			continue // not caused by a call: they may come earlier or later
		}
		var tool struct {
			Content           []struct{ Type, Text string }
			StructuredContent json.RawMessage
			IsError           bool
		}
		what, body := l.Method, l.Params
		switch {
		case l.Method != "":
		case l.Error != nil:
			what, body = "error", l.Error
		default:
			what, body = "result", l.Result
			require.NoError(t, json.Unmarshal(l.Result, &tool))
			if tool.StructuredContent != nil {
				require.Len(t, tool.Content, 1)
				require.JSONEq(t, string(tool.StructuredContent), tool.Content[0].Text)
				body = tool.StructuredContent
				if tool.IsError {
					what = "result, isError"
				}
			}
		}
		fmt.Fprintf(&out, "# %s\n%s\n", what, g.pretty(t, body))
	}
	return out.String()
}

// pretty indents JSON; what fits stays on one line.
func (g *golden) pretty(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return g.value(t, d, "")
}

const goldenWidth = 150

func (g *golden) value(t *testing.T, d *json.Decoder, indent string) string {
	t.Helper()
	token, err := d.Token()
	require.NoError(t, err)
	open, isDelim := token.(json.Delim)
	if !isDelim {
		if text, ok := token.(string); ok {
			token = g.normal(text)
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		require.NoError(t, e.Encode(token))
		return strings.TrimRight(b.String(), "\n")
	}
	inner := indent + "  "
	var parts []string
	for d.More() {
		part := ""
		if open == '{' {
			key, err := d.Token()
			require.NoError(t, err)
			part = fmt.Sprintf("%q: ", key)
		}
		value := g.value(t, d, inner)
		switch part {
		case `"lastSeq": `:
			value = `"<seq>"` // background events may come just before or just after
		case `"timestamp": `, `"attachedAt": `, `"capturedAt": `:
			require.Regexp(t, goldenTime, value)
			value = `"<time>"`
		}
		parts = append(parts, part+value)
	}
	_, err = d.Token()
	require.NoError(t, err)
	closing := map[json.Delim]string{'{': "}", '[': "]"}[open]
	line := open.String() + strings.Join(parts, ", ") + closing
	if len(indent)+len(line) <= goldenWidth && !strings.Contains(line, "\n") {
		return line
	}
	return open.String() + "\n" + inner + strings.Join(parts, ",\n"+inner) + "\n" + indent + closing
}
