package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// A refused resume of any kind says what to do next, and how often it has failed since the last one that worked.
func TestRefusedResumeHasAdvice(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		refuse := true
		answer := func(*dapclient.Message) daptest.Action {
			if refuse {
				return daptest.Fail("not today")
			}
			return daptest.Action{}
		}
		s := serve(t, name, shape, counting(), func(a *daptest.Adapter) {
			a.OnRequest("continue", answer)
			a.OnRequest("next", answer)
			a.OnRequest("stepOut", answer)
		})
		s.launchTo(t, 1)
		refused := func(failures int, tool string, args mcptest.Args) {
			t.Helper()
			r := s.Refused(fault.Internal, tool, args)
			require.Contains(t, r.String("error.message"), "debug_disconnect", "%s", r.Raw)
			require.Contains(t, r.String("error.message"), "not today", "%s", r.Raw)
			require.Equal(t, failures, r.Int("error.details.failures"), "%s", r.Raw)
			if failures > 1 {
				require.Contains(t, r.String("error.message"), "failed "+itoa(failures)+" times")
			}
			require.Equal(t, "paused", s.state())
		}
		refused(1, "debug_continue", nil)
		refused(2, "debug_step", nil)
		refused(3, "debug_run_to", mcptest.Args{"file": source, "line": 3})
		refuse = false
		require.Equal(t, "step", s.Do("debug_step", nil).String("reason"))
		refuse = true
		refused(1, "debug_step", mcptest.Args{"mode": "out"})
	})
}
