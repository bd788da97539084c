package dapclient

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Source maps are looked for in the project, also when the program is a runner in its node_modules.
func TestNodeWorkspace(t *testing.T) {
	project := t.TempDir()
	for _, file := range []string{"package.json", "node_modules/jest/package.json", "node_modules/jest/bin/jest.js",
		"node_modules/a/node_modules/b/b.js", "src/app.js"} {
		path := filepath.Join(project, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	for _, program := range []string{"src/app.js", "node_modules/jest/bin/jest.js", "node_modules/a/node_modules/b/b.js"} {
		program = filepath.Join(project, filepath.FromSlash(program))
		require.Equal(t, project, workspace(program, ""), program)
		args := jsDebug.Launch(LaunchRequest{Program: program})
		require.Equal(t, []any{project + "/**/*.(m|c|)js", "!**/node_modules/**"}, args["outFiles"], program)
	}
	require.Equal(t, project, workspace("", project))
	require.Equal(t, []any{"<node_internals>/**", "**/node_modules/**", "!**/node_modules/jest/bin/jest.js"},
		skipFiles(true, "/p/node_modules/jest/bin/jest.js"), "a runner stops at its first line")
	require.Equal(t, []any{"<node_internals>/**", "**/node_modules/**"}, skipFiles(true, "/p/a.js"))
	require.Equal(t, []any{"<node_internals>/**"}, skipFiles(false, "/p/node_modules/jest/bin/jest.js"))
}
