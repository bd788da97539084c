package program

import (
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"breakwire/mapping"
)

// attachMembers are the members of an attach configuration that name what to attach to. They are not sent to the
// debugger.
var attachMembers = []string{
	"processId", "pid", "processName", "connect", "host", "port", "mode", "remotePath",
	"gdb-remote-port", "gdb-remote-hostname", "miDebuggerServerAddress", "apiVersion",
}

// attach reads what a configuration attaches to: a process, or a debugger at an address. Without either, the call names
// the process.
func (e *launchEntry) attach(c *Configuration) {
	c.Attach = true
	// These are checked by what they name: the process or the address. remotePath is checked as a path map.
	c.Members = slices.DeleteFunc(c.Members, func(m string) bool {
		return slices.Contains(attachMembers, m) && m != "remotePath"
	})
	c.ProcessName, _ = e.all["processName"].(string)
	for _, member := range []string{"processId", "pid"} {
		text := mapping.Text(e.all[member])
		if pid, err := strconv.Atoi(text); err == nil {
			c.Pid = pid
		} else if e.all[member] != nil && text != "" && !strings.HasPrefix(text, "${") {
			c.ProcessName = text
		}
	}
	c.Connect = e.address()
	if e.all["listen"] != nil {
		e.fail("it waits for the program to connect; start the program with debugpy --listen, and use connect")
	}
	if remote, _ := e.all["remotePath"].(string); remote != "" {
		c.PathMap = append(c.PathMap, e.expand(remote)+"="+e.root)
	}
	if folders, ok := e.all["sourceFileMap"].(map[string]any); ok {
		for from, to := range folders {
			here := e.expand(mapping.Text(to))
			if !mapping.IsAbs(here) {
				here = filepath.Join(e.root, here)
			}
			c.PathMap = append(c.PathMap, from+"="+here)
		}
		slices.Sort(c.PathMap)
	}
}

// address returns the HOST:PORT to which an attach configuration connects, "" without one.
func (e *launchEntry) address() string {
	at := func(host, port any) string {
		if port == nil {
			return ""
		}
		name, _ := host.(string)
		if name = e.expand(name); name == "" {
			name = "127.0.0.1"
		}
		return net.JoinHostPort(name, e.expand(mapping.Text(port)))
	}
	if to, ok := e.all["connect"].(map[string]any); ok {
		return at(to["host"], to["port"])
	}
	if server, _ := e.all["miDebuggerServerAddress"].(string); server != "" {
		return e.expand(server)
	}
	if port := e.all["gdb-remote-port"]; port != nil {
		return at(e.all["gdb-remote-hostname"], port)
	}
	if mode := e.all["mode"]; mode == "local" {
		return ""
	}
	return at(e.all["host"], e.all["port"])
}
