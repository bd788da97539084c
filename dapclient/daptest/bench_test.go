package daptest_test

import (
	"testing"

	"github.com/google/go-dap"

	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// BenchmarkHit measures one cycle of a raw client: stopped, stackTrace, continue. It is the limit for benchmarks with
// the fake.
func BenchmarkHit(b *testing.B) {
	for name, shape := range shapes {
		b.Run(name, func(b *testing.B) {
			a := daptest.New(b, shape(), loop(daptest.Forever))
			stops := make(chan struct{}, 1)
			conn := dapclient.NewConn(a.Stream(), dapclient.Options{OnEvent: func(m *dapclient.Message) {
				if m.Name == "stopped" {
					stops <- struct{}{}
				}
			}})
			c := &client{t: b, conn: conn, events: dapclient.NewQueue[*dapclient.Message]()}
			must := func(command string, args any) { c.must(command, args) }
			must("initialize", nil)
			if _, err := conn.Send(dapclient.Request{Command: "launch"}); err != nil {
				b.Fatal(err)
			}
			must("setBreakpoints", lines(source, dap.SourceBreakpoint{Line: 22}))
			must("configurationDone", nil)
			<-stops
			thread := map[string]int{"threadId": a.ThreadID(0)}
			top := dapclient.StackTraceArguments{ThreadID: a.ThreadID(0), Levels: 1}
			b.ReportAllocs()
			for b.Loop() {
				must("stackTrace", top)
				must("continue", thread)
				<-stops
			}
			b.StopTimer()
			a.Close()
			<-conn.Done()
		})
	}
}
