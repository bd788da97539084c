package dapclient

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"strconv"
	"testing"

	"github.com/google/go-dap"
)

func BenchmarkDecode(b *testing.B) {
	for _, bm := range []struct{ name, frame string }{{"stopped", realStopped}, {"stackTrace", realStackTrace}} {
		raw := []byte(bm.frame)
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if _, err := Decode(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
		// The time of encoding/json for the same.
		b.Run(bm.name+"/encoding-json", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				var envelope struct {
					Type       string          `json:"type"`
					Command    string          `json:"command"`
					Event      string          `json:"event"`
					RequestSeq int             `json:"request_seq"`
					Success    bool            `json:"success"`
					Body       json.RawMessage `json:"body"`
				}
				if err := json.Unmarshal(raw, &envelope); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecodeBody(b *testing.B) {
	m, err := Decode([]byte(realStackTrace))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeBody[dap.StackTraceResponseBody](m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadFrame(b *testing.B) {
	frame := AppendFrame(nil, []byte(realStackTrace))
	var in bytes.Reader
	r := bufio.NewReaderSize(&in, 64<<10)
	b.ReportAllocs()
	b.SetBytes(int64(len(frame)))
	for b.Loop() {
		in.Reset(frame)
		r.Reset(&in)
		if _, err := ReadFrame(r, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// instantPeer answers every request at once, always with the same body.
func instantPeer(stream io.ReadWriter) {
	r := bufio.NewReaderSize(stream, 64<<10)
	var out []byte
	for {
		raw, err := ReadFrame(r, 0)
		if err != nil {
			return
		}
		m, err := Decode(raw)
		if err != nil {
			return
		}
		out = append(out[:0], `{"seq":1,"type":"response","command":"evaluate","success":true,"body":{"result":"7",`+
			`"variablesReference":0},"request_seq":`...)
		out = append(strconv.AppendInt(out, int64(m.Seq), 10), '}')
		if _, err := stream.Write(AppendFrame(nil, out)); err != nil {
			return
		}
	}
}

// BenchmarkCall measures sequential requests over a loopback socket, to a peer that answers at once. The bare socket
// with the same bytes is the floor.
func BenchmarkCall(b *testing.B) {
	b.Run("conn", func(b *testing.B) {
		ours, theirs := socketPair(b)
		go instantPeer(theirs)
		c := NewConn(ours, Options{})
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Call(b.Context(), patience, "evaluate", EvaluateArguments{Expression: "i"}); err != nil {
				b.Fatal(err)
			}
		}
		b.StopTimer()
		c.Close()
		<-c.Done()
	})
	b.Run("socket", func(b *testing.B) {
		ours, theirs := socketPair(b)
		go instantPeer(theirs)
		frame := AppendFrame(nil, []byte(`{"seq":1,"type":"request","command":"evaluate","arguments":{"expression":"i"}}`))
		r := bufio.NewReaderSize(ours, 64<<10)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ours.Write(frame); err != nil {
				b.Fatal(err)
			}
			if _, err := ReadFrame(r, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSend measures five requests in one write, as for a tracepoint with three expressions.
func BenchmarkSend(b *testing.B) {
	ours, theirs := socketPair(b)
	go instantPeer(theirs)
	c := NewConn(ours, Options{})
	last := make(chan error, 1)
	evaluate := Request{Command: "evaluate", Args: EvaluateArguments{Expression: "i"}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Send(Request{Command: "stackTrace", Args: StackTraceArguments{ThreadID: 1, Levels: 1}},
			evaluate, evaluate, evaluate,
			Request{Command: "continue", Done: func(_ *Message, err error) { last <- err }}); err != nil {
			b.Fatal(err)
		}
		if err := <-last; err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	c.Close()
	<-c.Done()
}

func socketPair(b *testing.B) (ours, theirs net.Conn) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	if ours, err = Dial(b.Context(), l.Addr().String()); err != nil {
		b.Fatal(err)
	}
	if theirs, err = l.Accept(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		ours.Close()
		theirs.Close()
	})
	return ours, theirs
}
