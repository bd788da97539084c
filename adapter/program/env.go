package program

import (
	"breakwire/adapter/fault"
	"maps"
	"runtime"
	"slices"
	"strings"
)

// Environments are lists of NAME=value.

// sameVariable reports whether two names mean the same variable on this system.
func sameVariable(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// LookEnv returns the value of a variable. The last entry counts.
func LookEnv(env []string, name string) (string, bool) {
	for _, v := range slices.Backward(env) {
		if n, value, ok := strings.Cut(v, "="); ok && sameVariable(n, name) {
			return value, true
		}
	}
	return "", false
}

// SetEnv sets a variable.
func SetEnv(env []string, name, value string) []string {
	env = slices.DeleteFunc(env, func(v string) bool {
		n, _, _ := strings.Cut(v, "=")
		return sameVariable(n, name)
	})
	return append(env, name+"="+value)
}

// CheckArgs refuses an argument with NUL, which no system can pass. Some debuggers would cut it off there silently.
func CheckArgs(args []string) error {
	for i, arg := range args {
		if strings.Contains(arg, "\x00") {
			return fault.Errorf(fault.InvalidParameter, "args[%d] holds NUL, which no program can be given", i).
				With("parameter", "args")
		}
	}
	return nil
}

// CheckEnv refuses variables that no system can set. netcoredbg would silently drop all variables because of one.
func CheckEnv(env map[string]*string) error {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value, why := env[name], ""
		switch {
		case name == "":
			why = "the name is empty"
		case strings.ContainsAny(name, "=\x00"):
			why = "the name holds = or NUL"
		case value != nil && strings.Contains(*value, "\x00"):
			why = "the value holds NUL"
		default:
			continue
		}
		return fault.Errorf(fault.InvalidParameter, "env: variable %q cannot be set: %s", name, why).With("parameter", "env")
	}
	return nil
}
