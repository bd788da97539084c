package mcpserver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Only the very names of clients whose source was read get the text alone.
func TestReadsTextOnly(t *testing.T) {
	for name, want := range map[string]bool{
		"Zed": true, "gemini-cli-mcp-client": true, "continue-client": true,
		"": false, "zed": false, "claude-code": false, "codex-mcp-client": false, "Visual Studio Code": false,
		"Cline": false, "opencode": false, "inspector-client": false, "Zed Preview": false,
	} {
		require.Equal(t, want, readsTextOnly(name), name)
	}
}
