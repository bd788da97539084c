package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAppendStringIsWhatJSONReads(t *testing.T) {
	for _, s := range []string{"", "plain", "q\"b\\s/", "\x00\x01\x1f\x7f\n\r\t\b\f", "é€𝄞\u2028", "bad\xffutf\xc3",
		"<&>"} {
		var got string
		require.NoError(t, json.Unmarshal(AppendString(nil, s), &got))
		require.Equal(t, strings.ToValidUTF8(strings.ReplaceAll(s, "\xff", "\ufffd"), "\ufffd"), got)
	}
}

func TestAppendEscaped(t *testing.T) {
	for _, text := range []string{"", "plain", `"quotes" and \ and \"`, "\x00\x01\n\r\t", "\u2028é😀"} {
		raw, err := Marshal(map[string]string{"text": text})
		require.NoError(t, err)
		require.Equal(t, string(AppendString(nil, string(raw))), string(AppendEscaped(nil, raw)))
		require.Equal(t, len(AppendEscaped(nil, raw)), EscapedLen(raw)+2)
	}
}

func BenchmarkAppendString(b *testing.B) {
	text := string(bytes.Repeat([]byte(`{"name":"x","value":"List<int>"},`), 100))
	dst := make([]byte, 0, 2*len(text))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		dst = AppendString(dst[:0], text)
	}
}
