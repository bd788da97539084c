package daptest_test

import (
	"bytes"
	"io"
	"testing"

	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// FuzzRequests checks that each shape answers or ends for any requests, without a panic. Lines of the input are
// bodies of frames, after a start up to a stop.
func FuzzRequests(f *testing.F) {
	f.Add([]byte(`{"seq":9,"type":"request","command":"stackTrace","arguments":{"threadId":4242,"startFrame":-1,` +
		`"levels":-9}}`))
	f.Add([]byte(`{"seq":9,"type":"request","command":"stackTrace","arguments":{"threadId":1}}` + "\n" +
		`{"seq":10,"type":"request","command":"scopes","arguments":{"frameId":1000}}` + "\n" +
		`{"seq":11,"type":"request","command":"variables","arguments":{"variablesReference":1000,"start":-1}}` + "\n" +
		`{"seq":12,"type":"request","command":"setVariable","arguments":{"variablesReference":1000,"name":"i",` +
		`"value":"(1+2"}}`))
	f.Add([]byte(`{"seq":9,"type":"request","command":"evaluate","arguments":{"expression":"i[0].x == (sum * -3 % 0) ` +
		`|| !true","frameId":0}}`))
	f.Add([]byte(`{"seq":9,"type":"request","command":"setBreakpoints",` +
		`"arguments":{"source":{"path":"/src/LoopApp/Program.cs"},"breakpoints":[{"line":22,"condition":"i >",` +
		`"hitCondition":"% 0","logMessage":"{i}}{"}]}}` + "\n" +
		`{"seq":10,"type":"request","command":"next","arguments":{"threadId":1}}` + "\n" +
		`{"seq":11,"type":"request","command":"pause"}`))
	f.Add([]byte("[]\n{\n{}\n" + `{"seq":"x","type":"request","command":"launch"}` + "\n" + `{"type":"response"}`))
	f.Fuzz(func(t *testing.T, input []byte) {
		for _, shape := range shapes {
			a := daptest.New(t, shape(), loop(3))
			var out []byte
			for _, body := range append([][]byte{
				[]byte(`{"seq":1,"type":"request","command":"initialize"}`),
				[]byte(`{"seq":2,"type":"request","command":"launch"}`),
				[]byte(`{"seq":3,"type":"request","command":"setBreakpoints",` +
					`"arguments":{"source":{"path":"/src/LoopApp/Program.cs"},"breakpoints":[{"line":22}]}}`),
				[]byte(`{"seq":4,"type":"request","command":"configurationDone"}`),
			}, bytes.Split(input, []byte("\n"))...) {
				out = dapclient.AppendFrame(out, body)
			}
			out = dapclient.AppendFrame(out, []byte(`{"seq":99,"type":"request","command":"disconnect"}`))
			if _, err := a.Stream().Write(out); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, a.Stream()); err != nil {
				t.Fatal(err)
			}
			<-a.Done()
			a.Close()
		}
	})
}
