package adapter

import (
	"os"
	"path/filepath"
	"testing"

	"breakwire/adapter/breakpoint"
	"breakwire/dapclient"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A link may have the same name as its target, and one side may be the root: /tmp is /private/tmp on macOS.
func TestSpellingsByLinksOfTheLaunch(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	root := filepath.VolumeName(base) + string(filepath.Separator)
	real, named := filepath.Join(base, "real", "code"), filepath.Join(base, "code")
	require.NoError(t, os.MkdirAll(real, 0o755))
	if err := os.Symlink(real, named); err != nil {
		t.Skipf("SKIPPED: no links here: %v", err)
	}
	program := filepath.Join(real, "program")
	require.NoError(t, os.WriteFile(program, nil, 0o600))
	l, ok := breakpoint.LinkIn(filepath.Join(named, "program"))
	require.True(t, ok)
	_, ok = breakpoint.LinkIn(program)
	require.False(t, ok)

	m := NewManager(Options{})
	defer m.Close()
	s := newSession(m, "s1", &Backend{Profile: &dapclient.Profile{Name: "fake"}}, origin{}, Snapshot{})
	for _, tt := range []struct {
		link breakpoint.Link
		key  string
		want []string
	}{
		{l, filepath.Join(real, "main.go"), []string{filepath.Join(named, "main.go")}},
		{breakpoint.Link{Given: root, Real: filepath.Join(root, "private")}, filepath.Join(root, "private", "tmp", "main.go"),
			[]string{filepath.Join(root, "tmp", "main.go")}},
		{breakpoint.Link{Given: root, Real: filepath.Join(root, "private")}, filepath.Join(root, "privateer", "main.go"),
			nil},
		{breakpoint.Link{Given: filepath.Join(root, "link"), Real: root}, filepath.Join(root, "src", "main.go"),
			[]string{filepath.Join(root, "link", "src", "main.go")}},
	} {
		s.held.Links = []breakpoint.Link{tt.link}
		assert.Equal(t, tt.want, s.spellings(tt.key, tt.key))
	}
}
