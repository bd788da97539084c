package jsdebug

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	"breakwire/dapclient"
)

// defaultPort is where Node's inspector listens unless it is told otherwise.
const defaultPort = 9229

// attachment is where a running program's inspector is.
type attachment struct {
	Address          string `json:"address"`
	Port             int    `json:"port"`
	WebsocketAddress string `json:"websocketAddress"`
	ProcessID        int    `json:"processId"`
}

// attach attaches to a running program, or lets js-debug start what only it can: a browser.
func (b *bridge) attach(m *dapclient.Message, args map[string]any) error {
	a, err := dapclient.DecodeArguments[attachment](m)
	if err != nil {
		return err
	}
	if m.Name == "launch" || args["type"] == "pwa-chrome" {
		b.mu.Lock()
		b.browser = true
		b.mu.Unlock()
		var started <-chan error
		if started, err = b.adopt(b.ctx, m.Name, args); err == nil {
			err = b.startWith(started)
		}
	} else {
		var address, path string
		if address, path, err = a.find(b.ctx); err != nil {
			return err
		}
		if err = b.connectTo(b.ctx, address, path, false, args); err == nil {
			b.session.event("initialized", nil)
			err = b.wait(b.ctx, &b.configured)
		}
	}
	if err != nil {
		return err
	}
	b.session.respond(m, nil, nil)
	if m.Name == "attach" && a.ProcessID == 0 {
		b.askProcess()
	}
	return nil
}

// askProcess asks the program for its process id. It tells none that is not of this machine.
func (b *bridge) askProcess() {
	_, _ = b.conn().Send(dapclient.Request{Command: "evaluate",
		Args: map[string]any{"expression": "process.pid", "context": "repl"},
		Done: func(answer *dapclient.Message, err error) {
			if err != nil || !answer.Success {
				return
			}
			body, _ := dapclient.DecodeBody[struct {
				Result string `json:"result"`
			}](answer)
			if pid, err := strconv.Atoi(body.Result); err == nil {
				b.session.event("process", map[string]any{"name": "node", "systemProcessId": pid, "startMethod": "attach"})
			}
		}})
}

// find returns host and port of the inspector, and the path of its debugger.
func (a attachment) find(ctx context.Context) (address, path string, err error) {
	if a.WebsocketAddress != "" {
		u, err := url.Parse(a.WebsocketAddress)
		if err != nil || u.Host == "" {
			return "", "", fmt.Errorf("websocketAddress %q: want ws://HOST:PORT/ID", a.WebsocketAddress)
		}
		return u.Host, u.Path, nil
	}
	host, port := a.Address, a.Port
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	if a.ProcessID > 0 && port == 0 {
		if port, err = openInspector(ctx, a.ProcessID); err != nil {
			return "", "", err
		}
	}
	if port == 0 {
		port = defaultPort
	}
	address = net.JoinHostPort(host, strconv.Itoa(port))
	path, err = inspectorAt(ctx, address)
	if err != nil {
		return "", "", fmt.Errorf("no inspector of Node answers at %s (%v); start the program with "+
			"--inspect=%s, in a container with --inspect=0.0.0.0:PORT", address, err, address)
	}
	return address, path, nil
}

// inspectorAt asks an inspector for the path of its debugger.
func inspectorAt(ctx context.Context, address string) (string, error) {
	targets, err := targetsAt(ctx, address)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(targets[0].Debugger)
	if err != nil {
		return "", err
	}
	return u.Path, nil
}

// target is what an inspector has: a program, or a page.
type target struct {
	URL      string `json:"url"`
	Debugger string `json:"webSocketDebuggerUrl"`
}

// targetsAt asks an inspector for its targets. There is at least one.
func targetsAt(ctx context.Context, address string) ([]target, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/json/list", nil)
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var targets []target
	if err := json.NewDecoder(response.Body).Decode(&targets); err != nil || len(targets) == 0 {
		return nil, fmt.Errorf("it is no inspector, or has no program")
	}
	return targets, nil
}

// signalPatience is how long Node may take to open its inspector.
const signalPatience = 5 * time.Second

// openInspector returns the port of a process's inspector. It makes the process open one if it has none.
func openInspector(ctx context.Context, pid int) (int, error) {
	if port := listening(ctx, pid); port > 0 {
		return port, nil
	}
	info, err := dapclient.FindProcess(pid)
	if err != nil || !nodeName().MatchString(filepath.Base(info.Exe)) { // the signal ends others
		return 0, fmt.Errorf("process %d is no node (%s); start it with --inspect and give its port", pid, info.Exe)
	}
	if err := wake(pid); err != nil {
		return 0, fmt.Errorf("process %d could not be told to open its inspector: %w; start it with --inspect and give "+
			"its port", pid, err)
	}
	for end := time.Now().Add(signalPatience); time.Now().Before(end) && ctx.Err() == nil; {
		if port := listening(ctx, pid); port > 0 {
			return port, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return 0, fmt.Errorf("process %d did not open its inspector within %v: it is no node, or is busy, or another program "+
		"has port %d", pid, signalPatience, defaultPort)
}
