package daptest

import (
	"bytes"
	"encoding/json"

	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

// Benchmarks send tens of thousands of requests a second, so requests in the form of dapclient.Conn are decoded
// without reflection.

var (
	seqPrefix  = []byte(`{"seq":`)
	typePrefix = []byte(`,"type":"request","command":"`)
	argsPrefix = []byte(`,"arguments":`)
)

// decode decodes the envelope of a request.
func decode(raw []byte) (*dapclient.Message, error) {
	if m := decodeFast(raw); m != nil {
		return m, nil
	}
	return dapclient.Decode(raw)
}

// decodeFast returns nil for any form other than that of Conn.Send.
func decodeFast(raw []byte) *dapclient.Message {
	rest, ok := bytes.CutPrefix(raw, seqPrefix)
	if !ok {
		return nil
	}
	i := 0
	seq := 0
	for ; i < len(rest) && rest[i] >= '0' && rest[i] <= '9'; i++ {
		seq = seq*10 + int(rest[i]-'0')
	}
	if rest, ok = bytes.CutPrefix(rest[i:], typePrefix); !ok || i == 0 {
		return nil
	}
	i = bytes.IndexByte(rest, '"')
	if i < 0 || bytes.IndexByte(rest[:i], '\\') >= 0 {
		return nil
	}
	m := &dapclient.Message{Seq: seq, Kind: dapclient.KindRequest, Name: commandName(rest[:i]), Raw: raw}
	rest = rest[i+1:]
	if args, ok := bytes.CutPrefix(rest, argsPrefix); ok {
		n := rawjson.End(args)
		if n < 0 {
			return nil
		}
		if !bytes.Equal(args[:n], []byte("null")) {
			m.Arguments = json.RawMessage(args[:n])
		}
		rest = args[n:]
	}
	if len(rest) != 1 || rest[0] != '}' {
		return nil
	}
	return m
}

// commandName avoids an allocation for frequent commands.
func commandName(b []byte) string {
	switch string(b) {
	case "stackTrace":
		return "stackTrace"
	case "evaluate":
		return "evaluate"
	case "continue":
		return "continue"
	case "threads":
		return "threads"
	}
	return string(b)
}
