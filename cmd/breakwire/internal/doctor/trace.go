package doctor

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ptraceScope reads Yama's ptrace_scope, nil where the system does not have it.
func ptraceScope(file string) *int {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return nil
	}
	return &n
}

// tracing reports what the system allows a debugger to do. scope is Yama's setting, refused the error of an attempt
// to trace a child. netcoredbg is not affected, because it uses the .NET runtime's interface.
func tracing(scope *int, refused error, user int) []finding {
	const attach = "attaching with dlv, lldb-dap and debugpy"
	if refused != nil {
		return []finding{{
			problem,
			fmt.Sprintf("processes may not be traced here (%v): dlv and lldb-dap cannot debug; netcoredbg can, it "+
				"does without", refused),
			"in a container, start it with --cap-add=SYS_PTRACE --security-opt seccomp=unconfined",
		}}
	}
	if scope == nil || *scope == 0 || *scope <= 2 && user == 0 {
		return []finding{{Level: fine, Text: "processes may be traced: launching and attaching work"}}
	}
	switch *scope {
	case 1:
		return []finding{{warning, "kernel.yama.ptrace_scope is 1: launching works, " + attach + " does not",
			"sudo sysctl kernel.yama.ptrace_scope=0"}}
	case 2:
		return []finding{{warning, "kernel.yama.ptrace_scope is 2: only root may trace, so dlv and lldb-dap need root",
			"sudo sysctl kernel.yama.ptrace_scope=0"}}
	}
	return []finding{{problem,
		fmt.Sprintf("kernel.yama.ptrace_scope is %d: nothing may be traced until the system is started again", *scope),
		"set kernel.yama.ptrace_scope=0 in /etc/sysctl.d/10-ptrace.conf and reboot"}}
}
