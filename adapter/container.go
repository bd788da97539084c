package adapter

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"breakwire/adapter/fault"
	"breakwire/dapclient"
	"breakwire/mapping"
)

// Place is a container in which the debugger and the program run. The zero value is this machine.
type Place struct {
	Container string // of docker
	Pod       string // of Kubernetes: [NAMESPACE/]POD[:CONTAINER]
}

// placeName matches the names of containers and pods. None can be taken for an option.
var placeName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:([a-z0-9][a-z0-9.-]*)/)?([A-Za-z0-9][A-Za-z0-9_.-]*)(?::([a-z0-9][a-z0-9.-]*))?$`)
})

func (in Place) given() bool { return in != Place{} }

// String is how a pattern of --allow-program names the place.
func (in Place) String() string {
	if in.Pod != "" {
		return "pod:" + in.Pod
	}
	return "docker:" + in.Container
}

// words names the place in a sentence.
func (in Place) words() string {
	if in.Pod != "" {
		return "pod " + in.Pod
	}
	return "container " + in.Container
}

func (in Place) parameter() string {
	if in.Pod != "" {
		return "in_pod"
	}
	return "in_container"
}

// check refuses names that cannot be one of a place.
func (in Place) check() error {
	name := in.Pod + in.Container
	m := placeName().FindStringSubmatch(name)
	if in.Pod != "" && in.Container != "" {
		return fault.Errorf(fault.InvalidParameter, "in_container and in_pod exclude each other").With("parameter", "in_pod")
	}
	if m == nil || in.Container != "" && (m[1] != "" || m[3] != "") {
		return fault.Errorf(fault.InvalidParameter, "%s %q is no name; docker ps shows those of containers, and a pod is "+
			"[NAMESPACE/]POD[:CONTAINER]", in.parameter(), name).With("parameter", in.parameter())
	}
	return nil
}

// command returns the command of this machine that runs another one in the place, with its standard streams.
func (in Place) command(words ...string) []string {
	if in.Pod == "" {
		return slices.Concat([]string{"docker", "exec", "-i", in.Container}, words)
	}
	m := placeName().FindStringSubmatch(in.Pod)
	command := []string{"kubectl", "exec", "-i"}
	if m[1] != "" {
		command = append(command, "-n", m[1])
	}
	if command = append(command, m[2]); m[3] != "" {
		command = append(command, "-c", m[3])
	}
	return slices.Concat(command, []string{"--"}, words)
}

// lookAround prints the working folder of a place, the real path of the first argument and whether it is a folder, and
// the first of the other arguments that is an executable which passes $TRY.
const lookAround = `at=$1; shift
pwd
readlink -f "$at" || echo
if [ -d "$at" ]; then echo folder; elif [ -e "$at" ]; then echo file; else echo; fi
for c in "$@"; do
case $c in "~/"*) c=$HOME/${c#??};; esac
if c=$(command -v "$c" 2>/dev/null) && TRY; then echo "$c"; exit; fi
done`

// overTCP runs a Delve, which only listens, and passes the standard streams on to it. At their end it is told to let
// go of the program.
const overTCP = `exec 3<&0 4>&1
"$@" 3<&- 4>&- </dev/null 2>&1 | {
at=
while read -r line; do
case $line in *"listening at: "*) at=${line##* }; break;; esac
echo "$line" >&2
done
[ -n "$at" ] || exit 1
cat >&2 &
passed() { cat <&3; trap "" INT; kill -INT 0; }
if command -v bash >/dev/null; then
bash -c 'exec 5<>"/dev/tcp/$0/$1" || exit
{ cat <&3 >&5; trap "" INT; kill -INT 0; } >/dev/null 4>&- &
trap "" INT; exec cat <&5 >&4 3<&-' "${at%:*}" "${at##*:}"
elif command -v nc >/dev/null; then passed | nc "${at%:*}" "${at##*:}" >&4
elif command -v socat >/dev/null; then passed | socat - "TCP:$at" >&4
else echo "there is none of bash, nc, socat here, one of which Delve needs" >&2; kill -INT 0; fi
}`

// endAll ends all processes that have a text in their environment.
const endAll = `for e in $(grep -ls "$0" /proc/[0-9]*/environ); do p=${e#/proc/}; kill -9 "${p%/environ}"; done`

// found is what was seen in a place.
type found struct {
	folder  string // the working folder
	program string // the real path of what is debugged; "": it does not exist
	isDir   bool
	adapter string
}

// look looks for a program, and for the adapter of a profile.
func (in Place) look(ctx context.Context, p *dapclient.Profile, program string) (f found, err error) {
	try := "true"
	if p.Language == dapclient.Python {
		try = `"$c" -c "import debugpy" 2>/dev/null`
	}
	command := in.command(slices.Concat([]string{"sh", "-c", strings.Replace(lookAround, "TRY", try, 1), "sh", program},
		p.Executables, p.WellKnown)...)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = 100 * time.Millisecond
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return f, fault.Errorf(fault.BackendNotFound, "%s was not found on PATH; install it, or start the debugger in %s "+
			"yourself and use connect", command[0], in.words()).With("parameter", in.parameter())
	}
	if ctx.Err() != nil {
		return f, fault.OfContext(ctx)
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) < 4 {
		hint := "docker ps lists the containers that run"
		if in.Pod != "" {
			hint = "kubectl get pods lists them"
		}
		why := strings.TrimSpace(said.String())
		if strings.Contains(why, `"sh"`) {
			hint = "it has no shell; start a debugger in it and use connect, or give it one"
		}
		return f, fault.Errorf(fault.BackendStartFailed, "nothing can be run in %s: %s; %s", in.words(),
			mapping.Clip(why, 500), hint).With("parameter", in.parameter())
	}
	f = found{folder: lines[0], isDir: lines[2] == "folder", adapter: lines[3]}
	if lines[2] != "" {
		f.program = lines[1]
	}
	return f, nil
}

// backendIn returns the backend for a place. at is what is debugged: a program, or the executable of a process.
func (m *Manager) backendIn(ctx context.Context, backend string, in Place, at string) (*Backend, found, error) {
	if b, ok := m.opts.Backends.replay(); ok {
		return &b, found{program: at}, nil
	}
	if err := in.check(); err != nil {
		return nil, found{}, err
	}
	if perm := &m.opts.Permissions; perm.restricted() && !perm.namesAnyAt(in.String()) {
		return nil, found{}, denied("this server may start nothing in %s: it was started with --read-only or "+
			"--allow-program, and no --allow-program %s:PATH names it; ask the user to start it with one that does",
			in.words(), in).With("parameter", in.parameter())
	}
	name := m.opts.Backends.nameOf(backend)
	if name == "" {
		switch path.Ext(at) {
		case ".py":
			name = "debugpy"
		case ".dll":
			name = "netcoredbg"
		case ".go":
			name = "dlv"
		default:
			return nil, found{}, fault.Errorf(fault.InvalidParameter, "say with backend which debugger is in %s: dlv, debugpy, "+
				"lldb-dap, netcoredbg", in.words()).With("parameter", "backend")
		}
	}
	p := dapclient.ProfileByName(name)
	if custom, ok := m.opts.Backends.Custom[name]; ok {
		p = custom.Profile
	}
	switch {
	case p == nil:
		return nil, found{}, m.opts.Backends.unknown(name)
	case p.Bridge != "" || len(p.Executables) == 0 || p.Announce != nil && p.Language != dapclient.Go:
		return nil, found{}, fault.Errorf(fault.NotSupported, "%s is not started in a container; start it there and use "+
			"connect, or write its command into a profile of the config file", name).With("feature", in.parameter()).
			With("missingCapability", "an adapter on standard streams").With("backend", name)
	}
	f, err := in.look(ctx, p, at)
	if err != nil {
		return nil, f, err
	}
	if f.adapter == "" {
		return nil, f, fault.Errorf(fault.BackendNotFound, "%s was not found in %s; put it on PATH there (%s)", p.Name,
			in.words(), p.Install).With("backend", p.Name).With("looked", slices.Concat(p.Executables, p.WellKnown))
	}
	if perm := &m.opts.Permissions; perm.restricted() && !perm.namesAt(in.String(), f.program) {
		return nil, f, perm.refuse(in.String() + ":" + f.program)
	}
	b := &Backend{Profile: p, Why: "its adapter is started in " + in.words()}
	b.Paths, _ = mapping.ParsePathMap()
	if f.folder != "/" && mapping.IsAbs(f.folder) {
		if b.Paths, err = mapping.ParsePathMap(f.folder + "=" + m.opts.ProjectRoot); err == nil {
			b.Why += ", where " + m.opts.ProjectRoot + " is " + f.folder
		}
	}
	b.Paths = b.Paths.And(m.opts.PathMap)
	mark := "BREAKWIRE_SESSION=" + rand.Text()
	b.Open = in.open(p, f.adapter, mark)
	b.Sweep = func(ctx context.Context) {
		command := in.command("sh", "-c", endAll, mark)
		_ = exec.CommandContext(ctx, command[0], command[1:]...).Run()
	}
	return b, f, nil
}

// open returns a function that starts an adapter in the place.
func (in Place) open(p *dapclient.Profile, adapter, mark string) Opener {
	words := []string{"env", mark}
	for name, value := range p.Env {
		words = append(words, name+"="+value)
	}
	if p.Announce != nil {
		words = append(words, "sh", "-c", overTCP, "sh")
	}
	command := in.command(slices.Concat(words, []string{adapter}, p.Args)...)
	return func(_ context.Context, o Opening) (io.ReadWriteCloser, *dapclient.Process, error) {
		proc, stream, err := dapclient.StartStdio(dapclient.Command{Path: command[0], Args: command[1:], Log: o.Log})
		if err != nil {
			return nil, nil, fault.Errorf(fault.BackendStartFailed, "%s did not start in %s: %v", p.Name, in.words(), err).
				With("backend", p.Name)
		}
		return stream, proc, nil
	}
}

// enterToLaunch prepares a launch in a place, whose paths the program and its folder then have.
func (m *Manager) enterToLaunch(ctx context.Context, backend string, p *LaunchParams) (*Backend, error) {
	if len(p.Interpreter) > 0 {
		return nil, fault.Errorf(fault.InvalidParameter, "the interpreter in %s is the one that has debugpy; leave program "+
			"or python out", p.In.words()).With("parameter", "program")
	}
	if here, err := filepath.Rel(m.opts.ProjectRoot, p.Program); err == nil && filepath.IsLocal(here) {
		p.Program = filepath.ToSlash(here)
	}
	b, f, err := m.backendIn(ctx, backend, p.In, p.Program)
	if err != nil || b.Replayed {
		return b, err
	}
	if f.program == "" && p.Program != "" {
		return nil, fault.Errorf(fault.InvalidPath, "program %s does not exist in %s, whose working folder is %s; give the "+
			"path that it has there", p.Program, p.In.words(), f.folder).With("path", p.Program)
	}
	if m.opts.Permissions.restricted() {
		if err := cmp.Or(mayConfigure(b, p), mayNotSet(p.Env)); err != nil {
			return nil, err
		}
		p.Program = f.program
	}
	below := func(name string) string {
		if name == "" || mapping.IsAbs(name) {
			return b.Paths.ToRemote(name)
		}
		return path.Join(f.folder, name)
	}
	if p.Program != "" {
		p.Program = below(p.Program)
	}
	if p.Cwd == "" {
		p.Cwd = f.folder
	}
	p.Cwd = below(p.Cwd)
	own := map[string]any{}
	switch {
	case b.Profile.Language == dapclient.Python:
		own["subProcess"] = false // its children would listen inside
	case b.Profile.Language == dapclient.Go && f.isDir:
		own["mode"], own["dlvCwd"] = "debug", p.Program
	}
	p.Extra = withExtra(own, p.Extra)
	if len(p.PathMap) > 0 {
		paths, err := m.pathMap(p.PathMap)
		b.Paths = paths.And(b.Paths)
		return b, err
	}
	return b, nil
}

// enterToAttach returns the backend for a process of a place.
func (m *Manager) enterToAttach(ctx context.Context, backend string, p *AttachParams) (*Backend, error) {
	b, f, err := m.backendIn(ctx, backend, p.In, fmt.Sprintf("/proc/%d/exe", p.Pid))
	if err == nil && f.program == "" {
		err = fault.Errorf(fault.ProcessNotFound, "there is no process %d in %s, or its debugger may not look at it",
			p.Pid, p.In.words()).With("processId", p.Pid)
	}
	return b, err
}
