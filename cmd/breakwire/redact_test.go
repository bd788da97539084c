package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLogsHoldNoSecrets checks messages and values, in any quoting.
func TestLogsHoldNoSecrets(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(newRedactor(&out, []string{"MY_API_KEY=hunter2hunter2",
		"TOKEN_FILE=/run/token", "HOME=/home/me"}),
		&slog.HandlerOptions{ReplaceAttr: redactAttr}))
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"
	for _, tc := range []struct {
		name, text, secret string
	}{
		{"own environment", "got hunter2hunter2 from it", "hunter2hunter2"},
		{"launch", `{"command":"launch","arguments":{"env":{"A":"very-private","B":null},"x":1}}`, "very-private"},
		{"launch as a list", `{"env":["A=very-private"]}`, "very-private"},
		{"braces in a value", `{"body":{"env":{"A":"x}very-private","B":["]"]}}}`, "very-private"},
		{"any name", `{"event":"debugpyAttach","body":{"extraEnvironment":[{"name":"A","value":"very-private"}]}}`,
			"very-private"},
		{"cut off", `{"env":{"A":"very-priv`, "very-priv"},
		{"Go map", "env=map[A:very-private]", "very-private"},
		{"header", "Authorization: Bearer abcdefgh12345678", "abcdefgh12345678"},
		{"GitHub", "ghp_0123456789abcdefghijABCDEFGHIJ012345", "ghp_0123456789abcdefghijABCDEFGHIJ012345"},
		{"AWS", "key AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"},
		{"JWT", jwt, jwt},
		{"address", "postgres://me:s3cr3tpw@host/db", "s3cr3tpw"},
		{"argument", "--password=correcthorse --x", "correcthorse"},
		{"JSON", `{"client_secret":"correcthorse","x":1}`, "correcthorse"},
		{"PEM", "-----BEGIN RSA PRIVATE KEY-----\nMIIEpA\n-----END RSA PRIVATE KEY-----", "MIIEpA"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, write := range []func(){
				func() { log.Info(tc.text) },
				func() { log.Info("m", "value", tc.text) },
				func() { log.Info("m", "value", json.RawMessage(tc.text)) },
				func() { log.With("with", tc.text).WithGroup("g").Info("m") },
			} {
				out.Reset()
				write()
				assert.NotContains(t, out.String(), tc.secret)
				assert.Contains(t, out.String(), redacted)
			}
		})
	}
	out.Reset()
	log.Info("the token that clients must send is in /run/token", "session", "s1", "home", "/home/me", "environment",
		"test", "took", "3ms")
	assert.NotContains(t, out.String(), redacted)
}

func TestLogFileIsPrivate(t *testing.T) {
	cfg := newConfig()
	cfg.logLevel, cfg.logFile = "info", filepath.Join(t.TempDir(), "log")
	before := slog.Default()
	defer slog.SetDefault(before)
	log, done, err := openLog(cfg, streams{})
	require.NoError(t, err)
	log.Info("password=correcthorse")
	done()
	text, err := os.ReadFile(cfg.logFile)
	require.NoError(t, err)
	require.Contains(t, string(text), redacted)
	if runtime.GOOS != "windows" {
		info, err := os.Stat(cfg.logFile)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
}

// TestLogHidesValues checks that values set by a launch are removed in any form: as separate lines, quoted, or as
// part of another text.
func TestLogHidesValues(t *testing.T) {
	var out bytes.Buffer
	r := newRedactor(&out, nil)
	log := slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: redactAttr}))
	for _, value := range []string{"hidden", "hidden-4711", `with "quotes" and \`, "short", "/home/me/project",
		strings.Repeat("long", longestSecret)} {
		r.hide(value)
	}
	for _, line := range []string{`    "VERY": "hidden-4711",`, `VERY=hidden-4711`,
		`    "Q": "with \"quotes\" and \\"`, `Q=with "quotes" and \`} {
		out.Reset()
		log.Debug("debug adapter wrote", "line", line)
		assert.Contains(t, out.String(), redacted)
		for _, part := range []string{"4711", "quotes", "hidden"} {
			assert.NotContains(t, out.String(), part, line)
		}
	}
	out.Reset()
	log.Debug("short in /home/me/project")
	assert.NotContains(t, out.String(), redacted)
	for i := range 2 * mostSecrets {
		r.hide(fmt.Sprintf("secret %d", i))
	}
	assert.LessOrEqual(t, len(r.secret), mostSecrets)
}
