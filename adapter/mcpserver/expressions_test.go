package mcpserver_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/adapter/mcpserver"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
	"breakwire/fixtures"
	"breakwire/mapping"
)

var (
	updateAnswers = flag.Bool("update-expressions", false, "write testdata/expressions/answers.tsv")
	recordImage   = flag.Bool("record-expressions", false, "record testdata/expressions/shop.jsonl.gz with netcoredbg")
)

const (
	answersFile = "testdata/expressions/answers.tsv"
	ownFile     = "testdata/expressions/own.tsv" // further ones of the same kinds
	imageFile   = "testdata/expressions/shop.jsonl.gz"
)

// image is the program of testdata/expressions at its stop, as a recording of the real netcoredbg has it.
func image(t *testing.T) (*mcptest.Client, *questions) {
	packed, err := os.ReadFile(imageFile)
	require.NoError(t, err)
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	plain, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	here, err := filepath.Abs("testdata/expressions/Shop")
	require.NoError(t, err)
	rec, err := transcript.Load(bytes.NewReader(plain), int64(len(plain)))
	require.NoError(t, err)
	maps, err := mapping.ParsePathMap("/src/Shop=" + here)
	require.NoError(t, err)
	options := adapter.Options{PathMap: maps,
		Backends: adapter.OnlyReplay(adapter.Replay(rec, transcript.PlayOptions{}, nil))}
	asked := &questions{}
	options.Backends.Record = func(_, backend, _ string) (dapclient.Recorder, error) {
		return transcript.NewWriter(asked, transcript.Header{Backend: backend})
	}
	return atShop(t, options), asked
}

// questions has what the session and the recording have said.
type questions struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (q *questions) Write(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.text.Write(p)
}

// missing returns the refusals of questions that were not asked when the program was recorded.
func (q *questions) missing() (out []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for line := range strings.Lines(q.text.String()) {
		if strings.Contains(line, transcript.NotRecorded) && !strings.Contains(line, "setVariable") {
			out = append(out, line)
		}
	}
	return out
}

// atShop launches the program and waits for its stop.
func atShop(t *testing.T, options adapter.Options) *mcptest.Client {
	c := mcptest.Serve(t, adapter.NewManager(options), mcpserver.Options{})
	program, err := filepath.Abs("testdata/expressions/Shop/Shop.dll")
	require.NoError(t, err)
	c.Do("breakpoint_set", mcptest.Args{"file": "/src/Shop/Program.cs", "line": 231})
	r := c.Settled(c.Do("debug_launch", mcptest.Args{"program": program, "stop_at_entry": false}))
	require.Equal(t, "breakpoint", r.String("stop.reason"), "%s", r.Raw)
	return c
}

// answers evaluates the expressions of a table. Its columns are the number, the expression, the true type and value
// from the C# compiler, and breakwire's type and value, or its refusal.
func answers(t *testing.T, c *mcptest.Client, file string) (before, now []string) {
	table, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.SplitSeq(strings.TrimSpace(string(table)), "\n") {
		col := strings.Split(line, "\t")
		r := c.Call("evaluate", mcptest.Args{"expression": col[1], "timeout_ms": 60_000})
		typ, value := r.String("type"), r.String("value")
		if r.IsError {
			typ, value = "refused", r.String("error.code")
		}
		before, now = append(before, line), append(now, strings.Join(append(col[:4], typ, value), "\t"))
	}
	return before, now
}

// Over a recorded stop, each expression has the answer of the table. A difference means a change in behaviour, or that
// a question is not in the recording: then run TestLiveNetcoredbgExpressions with -record-expressions.
func TestExpressionsHaveTheirTrueValues(t *testing.T) {
	c, asked := image(t)
	for _, table := range []struct {
		file           string
		right, refused int
	}{{answersFile, 566, 3}, {ownFile, 815, 12}} {
		before, now := answers(t, c, table.file)
		if *updateAnswers {
			require.NoError(t, os.WriteFile(table.file, []byte(strings.Join(now, "\n")+"\n"), 0o644))
			continue
		}
		right, refused := 0, 0
		for i, line := range now {
			assert.Equal(t, before[i], line)
			col := strings.Split(line, "\t")
			if col[4] == col[2] && col[5] == col[3] {
				right++
			}
			if col[4] == "refused" {
				refused++
			}
		}
		assert.GreaterOrEqual(t, right, table.right, "answered with the true type and the very text of the truth")
		assert.LessOrEqual(t, refused, table.refused)
	}
	assert.Empty(t, asked.missing(), "questions that are not in the recording: record again")
	setsWhatEvaluateGives(t, c, false)
}

// Statements assign, and variable_set sets what evaluate gives, also where netcoredbg itself refuses the text.
func setsWhatEvaluateGives(t *testing.T, c *mcptest.Client, live bool) {
	for _, set := range []struct{ statement, target, want string }{
		{"neg += 2;", "neg", "-11"}, {"b2 += 200;", "b2", "44"}, {`s += "!";`, "s", `"Hello, World!"`}, {"c++;", "c", "'y'"},
		{"ratio++;", "ratio", "1.75"}, {"list[0] = 99;", "list[0]", "99"}, {`stock["pear"] += 1;`, `stock["pear"]`, "5"},
		{`customer.Name = "Max";`, "customer.Name", `"Max"`}, {"access |= Access.Write;", "access", "All"},
		{"newYear += TimeSpan.FromHours(1);", "newYear", "2025-01-01T01:00:00"}, {"m -= 0.5m;", "m", "12.00"},
		{"pair.Id = 9;", "pair.Id", "9"},
	} { // each of another variable: a recording does not show what was set before
		r := c.Do("evaluate", mcptest.Args{"expression": set.statement})
		if live {
			assert.Contains(t, r.String("note"), set.target+" is now", set.statement)
			assert.Equal(t, set.want, c.Do("evaluate", mcptest.Args{"expression": set.target}).String("value"), set.statement)
		}
	}
	for _, set := range []struct{ name, value, want string }{
		{"b", "b + 1", "201"}, {"size", "2", "Medium"}, {"when", "when.AddDays(1)", "2024-03-01T13:45:30.123Z"},
		{"i", "i * 2", "14"}, {"d", "d + 1", "1.1"}, {"when", "new DateTime(2024, 1, 2)", "2024-01-02T00:00:00"},
		{"key", "Guid.Empty", "00000000-0000-0000-0000-000000000000"},
		{"access", "Access.Read | Access.Write", "Read | Write"},
		{"customer.Age", "40", "40"}, {"customer.Age", "null", "null"}, {"order.Status", "Status.Delivered", "Delivered"},
		{"Rights", "Access.Execute", "Execute"}, {"point", "new Point(7, 8)", "Point { X = 7, Y = 8 }"},
		{"home", `home with { City = "Ulm" }`, `Address { Street = "Main St 1", City = "Ulm", Zip = "53111" }`},
	} {
		r := c.Do("variable_set", mcptest.Args{"name": set.name, "value": set.value})
		if live { // a recording cannot show what was set
			assert.Equal(t, set.want, r.String("variable.value"), "%s = %s", set.name, set.value)
			assert.Equal(t, set.want, c.Do("evaluate", mcptest.Args{"expression": set.name}).String("value"), set.name)
		}
	}
	r := c.Call("variable_set", mcptest.Args{"name": "b", "value": "b + 100"})
	assert.Contains(t, r.String("error.message"), "System.OverflowException", "%s", r.Raw)
}

// The examples of docs/csharp.md have the values, or the errors, that stand beside them.
func TestCSharpPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/csharp.md")
	require.NoError(t, err)
	c, _ := image(t)
	row := regexp.MustCompile("(?m)^\\|[^\n]*\\| `([^`\n]+)` \\| `([^`\n]+)` \\|$")
	rows := row.FindAllStringSubmatch(strings.ReplaceAll(string(page), "\r\n", "\n"), -1)
	require.Greater(t, len(rows), 30)
	refused := 0
	for _, r := range rows {
		answer := c.Call("evaluate", mcptest.Args{"expression": strings.ReplaceAll(r[1], `\|`, "|")})
		if answer.IsError {
			refused++
			assert.Contains(t, answer.String("error.message"), r[2], r[1])
			continue
		}
		assert.Equal(t, r[2], answer.String("value"), r[1])
	}
	assert.Equal(t, 5, refused)
}

// The recording and the real debugger agree.
func TestLiveNetcoredbgExpressions(t *testing.T) {
	fixtures.Netcoredbg(t)
	sources, err := filepath.Abs("testdata/expressions/Shop")
	require.NoError(t, err)
	maps, err := mapping.ParsePathMap("/src/Shop=" + sources)
	require.NoError(t, err)
	options := adapter.Options{PathMap: maps}
	var recorded bytes.Buffer
	if *recordImage {
		options.Backends.Record = func(_, backend, _ string) (dapclient.Recorder, error) {
			return transcript.NewWriter(&recorded, transcript.Header{Backend: backend, Program: "/src/Shop/Shop.dll"})
		}
	}
	c := atShop(t, options)
	for _, file := range []string{answersFile, ownFile} {
		before, now := answers(t, c, file)
		for i := range now {
			if !*recordImage {
				assert.Equal(t, before[i], now[i])
			}
		}
	}
	setsWhatEvaluateGives(t, c, true)
	if *recordImage {
		c.Do("debug_disconnect", nil)
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		dotnet, err := exec.LookPath("dotnet")
		require.NoError(t, err)
		_, err = strings.NewReplacer(sources, "/src/Shop", filepath.Dir(dotnet), "/usr/share/dotnet").
			WriteString(w, recorded.String()) // no path of this machine
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, os.WriteFile(imageFile, packed.Bytes(), 0o644))
	}
}
