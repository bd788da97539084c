package transcript_test

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
	"breakwire/dapclient/transcript"
)

// TestRecordTheFakeAndPlayIt records a session of each shape of the fake with several threads. Then it sends the same
// requests to the replay, with and without strict mode.
func TestRecordTheFakeAndPlayIt(t *testing.T) {
	shapes := map[string]daptest.Shape{
		"netcoredbg": daptest.Netcoredbg(), "dlv": daptest.Delve(), "lldb-dap": daptest.LLDB(), "debugpy": daptest.Debugpy(),
	}
	var program daptest.Program
	for range 3 {
		program.Threads = append(program.Threads, daptest.Thread{Code: daptest.Loop(5, func(i int) daptest.Step {
			return daptest.Step{File: "/w.src", Line: 4, Func: "Work", Stdout: "pass\n"}
		}, func(i int) daptest.Step {
			return daptest.Step{File: "/w.src", Line: 5, Func: "Work",
				Vars: []daptest.Var{{Name: "i", Value: strconv.Itoa(i), Type: "int"}}}
		})})
	}
	for backend, shape := range shapes {
		t.Run(backend, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			w, err := transcript.Create(path, transcript.Header{})
			require.NoError(t, err)
			a := daptest.New(t, shape, program)
			stopped := make(chan int, 100)
			ended, ready := make(chan struct{}), make(chan struct{})
			conn := dapclient.NewConn(a.Stream(), dapclient.Options{Recorder: w, OnEvent: func(m *dapclient.Message) {
				switch m.Name {
				case "initialized":
					close(ready)
				case "stopped":
					body, _ := dapclient.DecodeBody[struct{ ThreadID int }](m)
					stopped <- body.ThreadID
				case "exited":
					close(ended)
				}
			}})
			call := func(command, args string) {
				t.Helper()
				_, err := conn.Call(context.Background(), 10*time.Second, command, raw(args))
				require.NoError(t, err)
			}
			call("initialize", `{"adapterID":"x"}`)
			_, err = conn.Send(dapclient.Request{Command: "launch", Args: raw(`{"program":"/w","env":{"KEY":"secret"}}`)})
			require.NoError(t, err)
			<-ready
			call("setBreakpoints", `{"source":{"path":"/w.src"},"breakpoints":[{"line":5}]}`)
			call("configurationDone", `{}`)
			for over := false; !over; {
				select {
				case thread := <-stopped:
					id := strconv.Itoa(thread)
					call("stackTrace", `{"threadId":`+id+`,"startFrame":0,"levels":1}`)
					call("evaluate", `{"expression":"i"}`)
					if len(stopped) == 0 { // lldb-dap reports several at once
						call("continue", `{"threadId":`+id+`}`)
					}
				case <-ended:
					over = true
				}
			}
			call("disconnect", `{}`)
			<-conn.Done()
			require.NoError(t, w.Close())

			rec := open(t, path)
			assert.Equal(t, backend, rec.Backend)
			assert.Equal(t, "/w", rec.Program)
			all := read(t, path)
			for _, strict := range []bool{false, true} {
				d := drive(t, rec, transcript.PlayOptions{Strict: strict})
				var answers []<-chan *dapclient.Message
				sent := 0
				for _, m := range all {
					if m.dir == dapclient.Sent {
						assert.NotContains(t, string(m.Raw), "secret")
						answers = append(answers, d.send(m.Name, string(m.Arguments)))
						sent++
					}
				}
				for _, answer := range answers {
					got := <-answer
					require.NotNil(t, got)
					assert.True(t, got.Success, "strict %v: %s", strict, got.Raw)
				}
				<-d.player.Done()
				<-d.conn.Done()
				require.NoError(t, d.player.Err())
				var stops int
				for _, m := range d.events.Take(nil) {
					if m.Name == "stopped" {
						stops++
					}
				}
				assert.Equal(t, map[string]int{"netcoredbg": 15, "debugpy": 15, "lldb-dap": 15, "dlv": 5}[backend], stops)
			}
		})
	}
}
