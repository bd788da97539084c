package view

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient/transcript/timeline"
)

var update = flag.Bool("update", false, "write the golden files anew")

func read(t *testing.T, name string) *timeline.Timeline {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "..", "fixtures", "transcripts", filepath.FromSlash(name)+".jsonl"))
	require.NoError(t, err)
	defer f.Close()
	tl, err := timeline.Read(f)
	require.NoError(t, err)
	return tl
}

func page(t *testing.T, tl *timeline.Timeline, sources []Source) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, HTML(&b, tl, sources, About{Name: `<b>"name"</b>`, Version: "test"}))
	return b.String()
}

// dataOf decodes the data of a page as its script does.
func dataOf(t *testing.T, html string) (p payload) {
	t.Helper()
	_, rest, ok := strings.Cut(html, `<script type="application/json" id="data">`)
	require.True(t, ok)
	text, _, ok := strings.Cut(rest, "</script>")
	require.True(t, ok)
	require.NoError(t, json.Unmarshal([]byte(text), &p))
	return p
}

// Whatever a recording contains, the page has only its own elements.
func TestHostile(t *testing.T) {
	bad := "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1><!--<script>{{data}}\u2028" +
		"\x00\x1b]0;x\x07"
	tl := &timeline.Timeline{
		Backend: bad, Program: bad, Client: bad, Threads: []timeline.ThreadName{{ID: 1, Name: bad}},
		Places: []timeline.Place{{File: bad, Line: 1, Function: bad}}, Stacks: [][]int{{0}},
		Marks: []timeline.Mark{{File: bad, Line: 1, Condition: bad, LogMessage: bad, Message: bad}},
		Events: []timeline.Event{{Kind: timeline.Stop, Name: bad, Text: bad, Resume: bad,
			Values: []timeline.Value{{Expr: bad, Text: bad, Type: bad}}}},
		Series: []timeline.Series{{Expr: bad, Events: []int{0}, Texts: []string{bad}, Failed: []bool{false}}},
	}
	html := page(t, tl, []Source{{File: bad, Text: bad}})
	plain := page(t, &timeline.Timeline{}, nil)
	for _, tag := range []string{"<script", "</script", "<img", "<!--", "<b>", "<iframe"} {
		assert.Equal(t, strings.Count(plain, tag), strings.Count(html, tag), tag)
	}
	assert.Equal(t, bad, dataOf(t, html).Program, "and nothing of it is lost")
	assert.Contains(t, html, "<title>&lt;b&gt;&#34;name&#34;&lt;/b&gt; · breakwire</title>")

	var text bytes.Buffer
	require.NoError(t, Text(&text, tl, TextOptions{Width: 100}))
	assert.NotRegexp(t, `[\x00-\x09\x0b-\x1f\x7f]`, text.String(), "nothing that a terminal obeys")
}

// The script inserts text only as text, and the page makes no connection.
func TestPageIsClosed(t *testing.T) {
	for name, text := range map[string]string{
		"page.html": pageHTML, "model.js": modelJS, "lanes.js": lanesJS, "chart.js": chartJS, "table.js": tableJS,
		"detail.js": detailJS, "app.js": appJS,
	} {
		assert.NotRegexp(t,
			regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|\beval\b|new `+
				`Function|javascript:`), text, name)
		assert.NotRegexp(t, regexp.MustCompile(`https?://|fetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(`), text, name)
		assert.NotContains(t, text, "</script>\n<style", name)
	}
	for name, text := range map[string]string{"uPlot": uplotJS, "style": uplotCSS + pageCSS} {
		assert.NotContains(t, strings.ToLower(text), "</script", name)
		assert.NotContains(t, strings.ToLower(text), "</style", name)
		assert.NotRegexp(t, `url\(|@import`, text, name)
	}
	html := page(t, &timeline.Timeline{}, nil)
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(html)
	require.NotNil(t, policy)
	assert.Contains(t, policy[1], "default-src 'none'")
	assert.NotContains(t, policy[1], "unsafe")
}

func TestPayload(t *testing.T) {
	tl := read(t, "netcoredbg/tracepoint-loop-500")
	p := dataOf(t, page(t, tl, []Source{{File: "/src/LoopApp/Program.cs", Text: "x", Newer: true}}))
	assert.Equal(t, "netcoredbg", p.Backend)
	n := len(tl.Events)
	for _, column := range [][]int{p.Events.Kind, p.Events.Thread, p.Events.Place, p.Events.Stack, p.Events.Hit,
		p.Events.Name, p.Events.Text, p.Events.Resume, p.Events.Line} {
		assert.Len(t, column, n)
	}
	assert.Len(t, p.Events.Values, n+1)
	require.NotEmpty(t, p.Series)
	s := p.Series[0]
	assert.Equal(t, "i", p.Strings[s.Expr])
	assert.Len(t, s.Event, 500)
	assert.Equal(t, 499.0, *s.Number[499])
	assert.True(t, p.Sources[0].Newer)
	assert.Equal(t, "/src/LoopApp/Program.cs", p.Strings[p.Sources[0].File])
}

// A page with a hundred thousand hits is small enough for a browser to open at once.
func TestLarge(t *testing.T) {
	html := page(t, Large(100_000), nil)
	assert.Less(t, len(html), 20<<20)
	assert.Len(t, dataOf(t, html).Events.At, 100_000)
}

func TestText(t *testing.T) {
	for _, name := range []string{"netcoredbg/tracepoint-loop-20", "netcoredbg/tour-exceptions", "dlv/tour-loop"} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, Text(&b, read(t, name), TextOptions{Width: 140}))
			for line := range strings.Lines(b.String()) {
				assert.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), 140)
			}
			golden := filepath.Join("testdata", strings.ReplaceAll(name, "/", "-")+".txt")
			if *update {
				require.NoError(t, os.WriteFile(golden, b.Bytes(), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), b.String())
		})
	}
}

func TestTextColours(t *testing.T) {
	tl := read(t, "dlv/tour-loop")
	var plain, coloured bytes.Buffer
	require.NoError(t, Text(&plain, tl, TextOptions{}))
	require.NoError(t, Text(&coloured, tl, TextOptions{Style: Colours}))
	assert.NotContains(t, plain.String(), "\x1b")
	assert.Equal(t, plain.String(), regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(coloured.String(), ""))
}

func TestSparkline(t *testing.T) {
	assert.Equal(t, "▁▂▃▄▅▆▇█", sparkline([]float64{0, 1, 2, 3, 4, 5, 6, 7}, 0, 7, 40))
	assert.Equal(t, "▁▁", sparkline([]float64{5, 5}, 5, 5, 40), "a constant is low, not high")
	assert.Len(t, []rune(sparkline(make([]float64, 1000), 0, 0, 40)), 40)
}

func TestFindSources(t *testing.T) {
	root := t.TempDir()
	put := func(text string, path ...string) string {
		name := filepath.Join(append([]string{root}, path...)...)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		return name
	}
	put("package a", "pkg", "a.go")
	put("root of a", "a.go")
	put("secret", "id_rsa")
	put("bin\x00ary", "b.go")
	put("class P {}", "App", "Program.cs")
	here := put("here", "elsewhere", "c.py")
	large := put(strings.Repeat("x", mostSource+1), "large.c")
	made := time.Now().Add(time.Hour)
	for _, c := range []struct {
		name, file, root, want string
	}{
		{"the longest ending wins", "/build/pkg/a.go", root, "package a"},
		{"by its name alone", "/other/a.go", root, "root of a"},
		{"a path of Windows", `C:\src\App\Program.cs`, root, "class P {}"},
		{"where the recording says, and below the root", here, root, "here"},
		{"where the recording says", here, "", ""},
		{"where the recording says, beside the root", here, filepath.Join(root, "App"), ""},
		{"no root, not here", "/build/pkg/a.go", "", ""},
		{"not source by its name", "/home/x/id_rsa", root, ""},
		{"not text", "/x/b.go", root, ""},
		{"nothing above the root", "/x/../../a.cs", filepath.Join(root, "App"), ""},
		{"too large", large, root, ""},
		{"a folder", filepath.Dir(here), root, ""},
		{"special", "/proc/self/environ", "/", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := FindSources([]string{c.file}, c.root, made)
			if c.want == "" {
				assert.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			assert.Equal(t, c.want, found[0].Text)
			assert.False(t, found[0].Newer)
		})
	}
	if os.Symlink(here, filepath.Join(root, "App", "out.py")) == nil {
		assert.Empty(t, FindSources([]string{"/x/out.py"}, filepath.Join(root, "App"), made),
			"a link that leads out of the root")
		assert.Len(t, FindSources([]string{"/App/out.py"}, root, made), 1, "one that stays inside")
	}
	newer := FindSources([]string{here}, root, time.Now().Add(-time.Hour))
	require.Len(t, newer, 1)
	assert.True(t, newer[0].Newer)
}

// uPlot is unchanged from its package, with its license.
func TestLibraryIsUnmodified(t *testing.T) {
	assert.Equal(t, "sha256-"+uplotDigest, digest(uplotJS))
	assert.Contains(t, uplotJS[:100], fmt.Sprintf("uPlot (v%s)", uplotVersion))
	license, err := os.ReadFile(filepath.Join("page", "uplot", "LICENSE"))
	require.NoError(t, err)
	assert.Contains(t, string(license), "MIT")
}

const (
	uplotVersion = "1.6.32"
	uplotDigest  = "GcjUxq2Ikpp59K5J1vcWFWbf0Lo9FcxJXpdPeH63jx8="
)

// Large returns a timeline of n hits over four threads.
func Large(n int) *timeline.Timeline {
	tl := &timeline.Timeline{
		Program: "/src/large.dll", Backend: "netcoredbg",
		Places: []timeline.Place{{File: "/src/Large.cs", Line: 7, Function: "Work()"}},
		Stacks: [][]int{{0}}, Duration: time.Duration(n) * time.Millisecond, Messages: 4 * n,
		Series: []timeline.Series{{Expr: "i"}, {Expr: "name"}},
	}
	for i := range 4 {
		tl.Threads = append(tl.Threads, timeline.ThreadName{ID: i + 1, Name: fmt.Sprintf("Worker %d", i)})
	}
	for i := range n {
		at := time.Duration(i) * time.Millisecond
		i1, i2 := fmt.Sprint(i*i%977), fmt.Sprintf(`"item %d"`, i%9)
		tl.Events = append(tl.Events, timeline.Event{
			At: at, Until: at + 400*time.Microsecond, Line: i + 1, Kind: timeline.Trace, Thread: i % 4, Hit: i + 1,
			Name: "breakpoint", Resume: "continue",
			Values: []timeline.Value{{Expr: "i", Text: i1, Type: "int"}, {Expr: "name", Text: i2, Type: "string"}},
		})
		for k, text := range []string{i1, i2} {
			s := &tl.Series[k]
			s.Events, s.Texts, s.Failed = append(s.Events, i), append(s.Texts, text), append(s.Failed, false)
		}
	}
	return tl
}
