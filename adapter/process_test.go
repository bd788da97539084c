package adapter

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
)

func TestOutcome(t *testing.T) {
	code := func(n int) *int { return &n }
	killed := &dapclient.Ending{Known: true, Signal: "SIGKILL"}
	delve, other := &dapclient.Profile{NegativeSignals: true}, &dapclient.Profile{}
	for _, tt := range []struct {
		name    string
		told    *int
		system  *dapclient.Ending
		profile *dapclient.Profile
		code    *int
		signal  string
	}{
		{"lldb-dap gives the number of a signal as the exit code", code(9), killed, other, nil, "SIGKILL"},
		{"the same number is an exit code", code(9), &dapclient.Ending{Known: true, Code: 9}, other, code(9), ""},
		{"debugpy gives 256 less the number", code(247), killed, other, nil, "SIGKILL"},
		{"netcoredbg gives 0 for an attached program", code(0), killed, other, nil, "SIGKILL"},
		{"netcoredbg gives 0 for an attached program that returns 3", code(0), &dapclient.Ending{Known: true, Code: 3},
			other, code(3), ""},
		{"only the first thread had ended with 0", code(3), &dapclient.Ending{Known: true}, other, code(3), ""},
		{"the debugger told nothing", nil, &dapclient.Ending{Known: true}, other, code(0), ""},
		{"the system knows nothing", code(9), &dapclient.Ending{}, other, code(9), ""},
		{"it is still running, or elsewhere", code(9), nil, other, code(9), ""},
		{"nobody knows", nil, nil, other, nil, ""},
		{"Delve's code of a Windows program", code(-1073741819), nil, delve, code(-1073741819), ""},
	} {
		got, signal := outcome(tt.told, tt.system, tt.profile)
		require.Equal(t, tt.code, got, tt.name)
		require.Equal(t, tt.signal, signal, tt.name)
	}
	if runtime.GOOS != "windows" {
		got, signal := outcome(code(-9), nil, delve)
		require.Nil(t, got)
		require.Equal(t, "SIGKILL", signal)
	}
}
