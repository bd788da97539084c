package dapclient

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// endOf names the error at the end of a stream of frames.
func endOf(err error) string {
	switch {
	case errors.Is(err, ErrFrame):
		return "lost step"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "cut"
	case errors.Is(err, io.EOF):
		return "end"
	}
	return "other: " + err.Error()
}

func FuzzReadFrame(f *testing.F) {
	for _, body := range realFrames {
		f.Add(AppendFrame(nil, []byte(body)))
	}
	f.Add(frames(realFrames[:3]))
	f.Add([]byte("content-type: x\ncontent-length:2\n\n{}\r\n\r\nContent-Length: 1\r\n\r\n"))
	f.Add([]byte("Content-Length: 99999999999\r\n\r\n"))
	f.Add([]byte("stray\r\n"))
	const max = 1 << 16
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err := readAll(bytes.NewReader(in), max)
		byByte, byByteErr := readAll(iotest.OneByteReader(bytes.NewReader(in)), max)

		// The result does not depend on how the bytes arrive.
		if endOf(err) != endOf(byByteErr) || len(whole) != len(byByte) {
			t.Fatalf("merged: %d frames, %v; byte by byte: %d frames, %v", len(whole), err, len(byByte), byByteErr)
		}
		total := 0
		for i := range whole {
			if whole[i] != byByte[i] {
				t.Fatalf("frame %d: merged %q, byte by byte %q", i, whole[i], byByte[i])
			}
			total += len(whole[i])
		}
		switch endOf(err) {
		case "end", "cut", "lost step":
		default:
			t.Fatal(err)
		}
		if total > len(in) {
			t.Fatalf("%d bytes of bodies out of %d", total, len(in))
		}

		// The frames read can be written and read again, also in front of other bytes.
		again, _ := readAll(bytes.NewReader(append(frames(whole), in...)), max)
		if len(again) != 2*len(whole) {
			t.Fatalf("%d frames, written again before the input %d", len(whole), len(again))
		}
		body, err := ReadFrame(bufio.NewReader(bytes.NewReader(AppendFrame(nil, in))), len(in))
		if len(in) > 0 && (err != nil || !bytes.Equal(body, in)) {
			t.Fatalf("round trip of a body: %v", err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, body := range realFrames {
		f.Add([]byte(body))
	}
	f.Add([]byte("{\"type\":\"event\",\"event\":\"output\",\"body\":{\"output\":\"a\x1b\\\"\n\"}}"))
	f.Add([]byte(`{"\u0074ype":"event","event":"x","seq":1e2,"body":null,"body":[{}]}`))
	f.Add([]byte(`{"type":"request","seq":"7","command":"runInTerminal","arguments":{"a":"é\ud800"}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		m, err := Decode(in)
		if !bytes.Equal(before, in) {
			t.Fatal("the input was changed")
		}
		var fields map[string]json.RawMessage
		object := json.Unmarshal(in, &fields) == nil && fields != nil
		if err != nil {
			// What encoding/json decodes as one of the three kinds must not be refused.
			if object {
				switch text(fields["type"]) {
				case "event", "request", "response":
					t.Fatalf("refused: %v", err)
				}
			}
			return
		}
		if !bytes.Equal(m.Raw, in) {
			t.Fatal("raw is not the input")
		}
		if object {
			same(t, "body", m.Body, fields["body"])
			same(t, "arguments", m.Arguments, fields["arguments"])
		}
		for name, raw := range map[string]json.RawMessage{"body": m.Body, "arguments": m.Arguments} {
			if raw != nil && !json.Valid(raw) {
				t.Fatalf("%s is not JSON: %q", name, raw)
			}
		}
		m.Err()
		m.Typed()

		// Encoded by encoding/json and decoded again it is the same.
		envelope := map[string]any{"seq": m.Seq, "type": m.Kind, "request_seq": m.RequestSeq, "success": m.Success,
			"message": m.Text}
		if m.Kind == KindEvent {
			envelope["event"] = m.Name
		} else {
			envelope["command"] = m.Name
		}
		if m.Body != nil {
			envelope["body"] = m.Body
		}
		if m.Arguments != nil {
			envelope["arguments"] = m.Arguments
		}
		raw, err := json.Marshal(envelope)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		if again.Seq != m.Seq || again.Kind != m.Kind || again.Name != m.Name || again.RequestSeq != m.RequestSeq ||
			again.Success != m.Success || again.Text != m.Text {
			t.Fatalf("round trip: %+v became %+v", m, again)
		}
		same(t, "body", again.Body, m.Body)
		same(t, "arguments", again.Arguments, m.Arguments)
	})
}

// same compares two JSON texts; null equals a missing one.
func same(t *testing.T, name string, a, b json.RawMessage) {
	t.Helper()
	if x, y := compact(a), compact(b); x != y {
		t.Fatalf("%s: %q and %q", name, x, y)
	}
}

func compact(raw json.RawMessage) string {
	if raw == nil {
		return "null"
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return "error: " + err.Error()
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "error: " + err.Error()
	}
	return string(b)
}
