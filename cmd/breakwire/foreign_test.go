package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/fixtures"
)

// A complete session through foreign MCP clients (tools/foreign).
func TestForeignClients(t *testing.T) {
	d := goDebuggee(t)
	programs := []string{fixtures.Breakwire(t), d.loop, d.source, d.longProgram}
	for _, test := range []struct {
		name    string
		command func(t *testing.T) []string
	}{
		{"TypeScript SDK", func(t *testing.T) []string {
			return append(append(fixtures.ForeignTS(t), programs...), fixtures.BuildGo(t, "quick"))
		}},
		{"Go SDK, 2025-11-25", func(t *testing.T) []string {
			return append([]string{fixtures.ForeignGo(t), "-protocol", "2025-11-25"}, programs...)
		}},
		{"Go SDK, 2026-07-28", func(t *testing.T) []string {
			return append([]string{fixtures.ForeignGo(t), "-protocol", "2026-07-28"}, programs...)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			command := test.command(t)
			text, err := exec.Command(command[0], command[1:]...).CombinedOutput()
			require.NoError(t, err, "%s", text)
			require.True(t, strings.HasSuffix(string(text), "the whole session passed\n"), "%s", text)
			t.Logf("%s", text)
		})
	}
}
