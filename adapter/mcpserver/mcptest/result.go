package mcptest

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Result is a JSON object that a test reads by paths: "stop.location.line", "frames.0.function".
type Result struct {
	tb      testing.TB
	Raw     json.RawMessage
	IsError bool
}

// Get returns the value at a path, nil when there is none.
func (r Result) Get(path string) any {
	var v any
	d := json.NewDecoder(strings.NewReader(string(r.Raw)))
	d.UseNumber()
	require.NoError(r.tb, d.Decode(&v), "%s", r.Raw)
	if path == "" {
		return v
	}
	for key := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// At returns the object at a path as a Result of its own.
func (r Result) At(path string) Result {
	raw, err := json.Marshal(r.Get(path))
	require.NoError(r.tb, err)
	return Result{tb: r.tb, Raw: raw}
}

// Has reports whether there is a value at a path.
func (r Result) Has(path string) bool { return r.Get(path) != nil }

// String returns the text at a path, "" when there is none.
func (r Result) String(path string) string {
	s, _ := r.Get(path).(string)
	return s
}

// Int returns the number at a path, 0 when there is none.
func (r Result) Int(path string) int {
	n, ok := r.Get(path).(json.Number)
	if !ok {
		return 0
	}
	i, err := n.Int64()
	require.NoError(r.tb, err)
	return int(i)
}

// Bool returns the boolean at a path, false when there is none.
func (r Result) Bool(path string) bool {
	b, _ := r.Get(path).(bool)
	return b
}

// Len returns the number of elements of the list at a path.
func (r Result) Len(path string) int {
	list, _ := r.Get(path).([]any)
	return len(list)
}

// Strings returns the list of texts at a path.
func (r Result) Strings(path string) []string {
	list, _ := r.Get(path).([]any)
	out := make([]string, 0, len(list))
	for _, x := range list {
		s, _ := x.(string)
		out = append(out, s)
	}
	return out
}

// Into decodes the whole result.
func (r Result) Into(v any) {
	r.tb.Helper()
	require.NoError(r.tb, json.Unmarshal(r.Raw, v), "%s", r.Raw)
}
