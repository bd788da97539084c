package dapclient

import "regexp"

// netcoredbg (Samsung), for .NET Core 3.1 and later. Measured against 3.1.2 and 3.1.3.
var netcoredbg = &Profile{
	Name: "netcoredbg", AdapterID: "coreclr", Language: DotNet,
	Executables: []string{"netcoredbg"}, PathEnv: "NETCOREDBG_PATH",
	WellKnown: []string{
		"/usr/local/netcoredbg/netcoredbg", "/opt/netcoredbg/netcoredbg", "~/.local/netcoredbg/netcoredbg",
		"~/.local/share/nvim/mason/bin/netcoredbg", `C:\Program Files\netcoredbg\netcoredbg.exe`,
	},
	Args:    []string{"--interpreter=vscode"},
	Install: "download netcoredbg from github.com/Samsung/netcoredbg/releases, unpack it and set NETCOREDBG_PATH to the executable",
	Launch: func(r LaunchRequest) map[string]any {
		a := map[string]any{
			"program": r.Program, "args": args(r.Args), "stopAtEntry": r.StopAtEntry, "justMyCode": r.JustMyCode,
			// env is always sent: without the key some versions fail with 0x8007000c.
			"env": setOnly(r.Env),
		}
		if r.Cwd != "" {
			a["cwd"] = r.Cwd
		}
		return a
	},
	Attach: func(r AttachRequest) map[string]any {
		return map[string]any{"processId": r.Pid}
	},
	PipelineHits: true, HitDropsStep: true, StepHidesHits: true, PauseNeedsThread: true,
	DetachKillsLaunched: true, NoJustMyCodeOnAttach: true, NoColumns: true, NoEnvNull: true, ModuleEvents: true, LocalSources: true,
	OwnOutput: regexp.MustCompile(`^Breakpoint error: `),
}
