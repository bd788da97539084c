package mcpserver_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listed is an output schema as tools/list gives it.
type listed struct {
	Properties map[string]listed
	Items      *listed
}

// unlisted returns the paths of fields that the schema does not have. An object without properties may have any.
func (l listed) unlisted(value any, path string) (missing []string) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if l.Items != nil {
				missing = append(missing, l.Items.unlisted(item, path+"[]")...)
			}
		}
	case map[string]any:
		for name, inner := range v {
			field, ok := l.Properties[name]
			if at := path + "." + name; !ok && len(l.Properties) > 0 {
				missing = append(missing, at)
			} else {
				missing = append(missing, field.unlisted(inner, at)...)
			}
		}
	}
	return missing
}

// An answer has no field that the tool's output schema lacks: a client that checks its answers would refuse it.
func TestGoldenAnswersHaveTheFieldsOfTheSchemas(t *testing.T) {
	var list struct {
		Tools []struct {
			Name         string
			OutputSchema listed
		}
	}
	raw, err := os.ReadFile(filepath.Join("testdata", "tools.golden"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &list))
	schemas := map[string]listed{}
	for _, tool := range list.Tools {
		require.NotEmpty(t, tool.OutputSchema.Properties, tool.Name)
		schemas[tool.Name] = tool.OutputSchema
	}
	answers, tools := 0, map[string]bool{}
	for _, file := range goldens(t) {
		for i, step := range readGolden(t, file).steps {
			_, answer, ok := strings.Cut(step.want, "# result")
			schema, is := schemas[step.method]
			if !ok || !is {
				continue
			}
			_, answer, _ = strings.Cut(answer, "\n")
			var value any
			require.NoError(t, json.NewDecoder(strings.NewReader(answer)).Decode(&value), "%s, step %d", file, i+1)
			answers, tools[step.method] = answers+1, true
			assert.Empty(t, schema.unlisted(value, step.method), "%s, step %d", file, i+1)
		}
	}
	require.Greater(t, answers, 500)
	require.Greater(t, len(tools), 20)
	stop := listed{Properties: map[string]listed{"stop": {Items: &listed{Properties: map[string]listed{"line": {}}}}}}
	require.Equal(t, []string{"x.stop[].lines"},
		stop.unlisted(map[string]any{"stop": []any{map[string]any{"line": 1, "lines": 2}}}, "x"))
}
