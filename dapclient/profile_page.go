package dapclient

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// IsPage reports whether a program is a page, which a browser shows.
func IsPage(program string) bool {
	return strings.HasPrefix(program, "http://") || strings.HasPrefix(program, "https://") ||
		strings.HasPrefix(program, "file://")
}

// launchPage makes the launch arguments of a page in Chromium. The page's scripts are below the working folder.
func launchPage(r LaunchRequest) map[string]any {
	a := map[string]any{
		"type": "pwa-chrome", "request": "launch", "name": "breakwire", "url": r.Program, "webRoot": r.Cwd,
		"skipFiles": skipFiles(r.JustMyCode, ""), "runtimeArgs": browserArgs(os.Getenv, os.Geteuid()),
	}
	if browser := findBrowser(); browser != "" {
		a["runtimeExecutable"] = browser
	}
	if len(r.Env) > 0 {
		a["env"] = r.Env
	}
	if r.Folder != nil {
		if folder, err := r.Folder(); err == nil {
			a["userDataDir"] = filepath.Join(folder, "browser")
		}
	}
	return a
}

// browserArgs are the options of the browser: it asks nothing of its maker, and has no window where there is no
// display.
func browserArgs(getenv func(string) string, user int) []any {
	list := []any{"--no-first-run", "--no-default-browser-check", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-quic"}
	if runtime.GOOS == "linux" && getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		list = append(list, "--headless=new", "--disable-gpu")
	}
	if user == 0 {
		list = append(list, "--no-sandbox") // it does not start as root otherwise
	}
	return list
}

// findBrowser returns a Chromium of this machine. "": js-debug looks for Chrome itself.
func findBrowser() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"microsoft-edge", "/Applications/Chromium.app/Contents/MacOS/Chromium"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	return ""
}
