package mapping

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// hresultText matches an HRESULT: a failure code of eight digits, as a separate word.
var hresultText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b0x8[0-9a-f]{7}\b`)
})

// hresults maps codes to the cause and the remedy, as users of netcoredbg have found them.
var hresults = sync.OnceValue(func() map[uint32]string {
	return map[uint32]string{
		0x80004001: "The debugger does not implement this request.",
		0x80004002: "The debugger and the .NET runtime do not fit together (an interface is missing): dbgshim and " +
			"the runtime have different major versions. Use a netcoredbg release that supports the program's .NET version.",
		0x80004005: "The debugger failed without saying why. At start the program is usually missing or not a .NET " +
			"assembly: launch the built .dll, not the .exe. Later, the frame or thread no longer exists: ask for the " +
			"stack again.",
		0x80070002: "A file was not found. Most often it is `dotnet`, which the debugger looks up in PATH: put it " +
			"there, or pass PATH in env. Otherwise check the program's path.",
		0x80070005: "Access denied. The debugger must run as the same user as the process and be allowed to read the " +
			"program and its working directory.",
		0x8007000c: "The environment handed to the program is not valid: every variable in env needs a name and a " +
			"text value, and the debugger's own environment (PATH, HOME, TMPDIR) must be complete.",
		0x80070057: "Invalid argument. On attach: there is no such process, it is not a .NET (Core) process, it " +
			"belongs to another user or architecture, or it runs with another TMPDIR or in another container; .NET " +
			"Framework is not supported, and the debugger must run on the same machine. Otherwise the program is " +
			"running or the thread or frame is gone: pause it and ask again.",
		0x800700c1: "The file is not a program for this machine: check its architecture, and launch the .dll of a " +
			".NET program.",
		0x80131301: "The program has ended.",
		0x80131302: "The program is not stopped: pause it, or wait for a breakpoint, and ask again.",
		0x80131304: "The value cannot be read at this point of the program, usually because optimized code no longer " +
			"keeps it. Use a Debug build.",
		0x80131305: "The runtime lost hold of a value while others were read. Ask for single members by evaluate.",
		0x80131309: "This thread cannot step or run code now (it is blocked or inside the runtime): step the thread " +
			"that stopped, or continue.",
		0x8013132e: "A debugger is already attached to this process: end that session first.",
		0x80131c3c: "The debugger and the .NET runtime have different architectures (for example an x64 debugger and " +
			"an arm64 runtime): install the netcoredbg build of the runtime's architecture.",
	}
})

// Explain finds an HRESULT in an adapter's text and returns its meaning and remedy, and the code in its usual form.
// ok is false when there is no known code. Of several codes the first known one is explained.
func Explain(text string) (message, code string, ok bool) {
	for _, found := range hresultText().FindAllString(text, -1) {
		n, err := strconv.ParseUint(found[2:], 16, 32)
		if err != nil {
			continue
		}
		if message, ok := hresults()[uint32(n)]; ok {
			return message, "0x" + strings.ToLower(found[2:]), true
		}
	}
	return "", "", false
}
