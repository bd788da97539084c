package adapter

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
)

// Commands of a launch configuration do not remove the program's input.
func TestConfigurationCommandsKeepInput(t *testing.T) {
	r := LaunchRequest{Program: "/p", Stdin: "/in", Stderr: "/err", Extra: map[string]any{
		"initCommands": []any{"settings show"}, "stopOnEntry": true, "sourceMap": []any{"a"}}}
	args := launchArguments(dapclient.ProfileByName("lldb-dap"), r)
	commands, _ := args["initCommands"].([]any)
	require.Len(t, commands, 4, "the first corrects formatters")
	assert.Equal(t, []any{`settings set target.input-path "/in"`,
		`settings set target.error-path "/err"`, "settings show"}, commands[1:])
	assert.Equal(t, true, args["stopOnEntry"])
	assert.Equal(t, []any{"a"}, args["sourceMap"])
	assert.Equal(t, []any{"settings show"}, r.Extra["initCommands"])

	args = launchArguments(dapclient.ProfileByName("debugpy"), LaunchRequest{Extra: map[string]any{"module": "m"}})
	assert.NotContains(t, args, "program")
}

func TestInjectionAdvice(t *testing.T) {
	assert.Empty(t, injectionAdvice("Attach to PID failed."))
	const said = "(gdb)\nCouldn't write extended state status: Bad address.\n"
	assert.Contains(t, injectionAdvice(said), "attach with connect")
}
