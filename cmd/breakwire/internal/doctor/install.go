package doctor

import (
	"os/exec"
	"strings"
)

// howToGet is the next step towards a debugger on this system, a command where possible.
func howToGet(backend string, system systemReport) string {
	return nextStep(backend, system, func(tool string) bool {
		_, err := exec.LookPath(tool)
		return err == nil
	})
}

func nextStep(backend string, system systemReport, have func(tool string) bool) string {
	switch backend {
	case "netcoredbg":
		return getNetcoredbg(system)
	case "dlv":
		const install = "go install github.com/go-delve/delve/cmd/dlv@latest"
		if !have("go") {
			return "install Go (https://go.dev/dl), then: " + install
		}
		return install
	case "debugpy":
		switch {
		case have("apt-get"):
			return "sudo apt-get install python3-debugpy"
		case have("pacman"):
			return "sudo pacman -S python-debugpy"
		case have("dnf"):
			return "sudo dnf install python3-debugpy"
		case system.OS == "windows":
			return "py -m pip install debugpy"
		}
		return "python3 -m pip install debugpy (or set DEBUGPY_PYTHON to the python of an environment that has it)"
	case "js-debug":
		if !have("node") {
			return "install Node.js (https://nodejs.org), and Visual Studio Code, whose debugger js-debug is"
		}
		return "download js-debug-dap-VERSION.tar.gz from https://github.com/microsoft/vscode-js-debug/releases, unpack " +
			"it to ~/.local/share, or set JS_DEBUG_PATH to its folder; Visual Studio Code has it, too"
	case "codelldb":
		return "unpack codelldb-VERSION.vsix of https://github.com/vadimcn/codelldb/releases, a zip file, and set " +
			"CODELLDB_PATH to extension/adapter/codelldb in it"
	case "lldb-dap":
		switch {
		case system.OS == "windows":
			return "winget install LLVM.LLVM"
		case system.OS == "darwin":
			return "brew install llvm"
		case have("apt-get"):
			return "sudo apt-get install lldb-19 (or the newest lldb-NN that apt-cache search lldb lists)"
		case have("dnf"):
			return "sudo dnf install lldb"
		case have("pacman"):
			return "sudo pacman -S lldb"
		case have("apk"):
			return "apk add lldb"
		}
		return "install LLVM's lldb, version 18 or later, and set LLDB_DAP_PATH if it is not on PATH"
	}
	return ""
}

// getNetcoredbg names the release's archive for this system. breakwire searches the folder it names.
func getNetcoredbg(system systemReport) string {
	const releases = "https://github.com/Samsung/netcoredbg/releases"
	archive := map[string]string{
		"linux/amd64": "netcoredbg-linux-amd64.tar.gz", "linux/arm64": "netcoredbg-linux-arm64.tar.gz",
		"darwin/amd64": "netcoredbg-osx-amd64.tar.gz", "windows/amd64": "netcoredbg-win64.zip",
	}[system.OS+"/"+system.Arch]
	switch {
	case archive == "" || system.Libc == "musl":
		return "there is no release of netcoredbg for this system: build it from source " +
			"(https://github.com/Samsung/netcoredbg) and set NETCOREDBG_PATH to it"
	case strings.HasSuffix(archive, ".zip"):
		return "download " + releases + "/latest/download/" + archive + `, unpack it to C:\Program Files\netcoredbg, ` +
			`or set NETCOREDBG_PATH`
	}
	return "mkdir -p ~/.local && curl -sSL " + releases + "/latest/download/" + archive + " | tar xz -C ~/.local"
}
