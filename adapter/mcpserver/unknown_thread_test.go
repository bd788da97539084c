package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// A thread that does not exist is INVALID_THREAD from each tool that takes one, also where the debugger answers its
// stack with no frames. Nothing is resumed.
func TestUnknownThread(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		for _, empty := range []bool{false, true} {
			s := serve(t, name, shape, counting(), func(a *daptest.Adapter) {
				a.OnRequest("stackTrace", func(m *dapclient.Message) daptest.Action {
					if empty && strings.Contains(string(m.Arguments), "4711") {
						return daptest.Raw(`{"seq":9000,"type":"response","request_seq":$seq,"success":true,` +
							`"command":"stackTrace","body":{"stackFrames":[],"totalFrames":0}}`)
					}
					return daptest.Action{}
				})
			})
			s.launchTo(t, 1)
			for _, call := range []struct {
				tool string
				args mcptest.Args
			}{
				{"stacktrace_get", mcptest.Args{}},
				{"variables_get", mcptest.Args{}},
				{"evaluate", mcptest.Args{"expression": "i"}},
				{"variable_set", mcptest.Args{"name": "i", "value": "1"}},
				{"collection_analyze", mcptest.Args{"expression": "i"}},
				{"debug_step", mcptest.Args{}},
				{"debug_continue", mcptest.Args{}},
			} {
				call.args["thread_id"] = 4711
				r := s.Refused(fault.InvalidThread, call.tool, call.args)
				require.Contains(t, r.String("error.message"), itoa(r.Int("error.details.known.0")), "%s", r.Raw)
			}
			require.Equal(t, "paused", s.state())
			require.Zero(t, s.adapter().Count("next"))
		}
	})
}
