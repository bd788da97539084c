package dapclient

import (
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// lastWords is how long an adapter's end is held back for the rest of its stderr, which a
	// grandchild may keep open for ever.
	lastWords = 200 * time.Millisecond
	// lastFrames is how long its stdout may stay open after that.
	lastFrames = 300 * time.Millisecond
	// unkillable bounds the wait for a killed process: one stuck in the kernel must not hold up our own end.
	unkillable = 5 * time.Second
)

// Process is an adapter that we started, in a process group (Windows: a job object) of its own. It is
// reaped by a goroutine of its own; another one drains its stderr, as long as
// anybody holds it open.
//
// There is no parent-death signal. When we die, however that happens, the kernel closes our end of the
// adapter's stdin, at which every known adapter ends what it launched and then itself; a signal would end the
// adapter at once and leave the debuggee alive.
type Process struct {
	cmd    *exec.Cmd
	group  group
	stdin  *inPipe
	tail   tail
	log    *slog.Logger
	exited chan struct{}
	status string          // set before exited is closed
	killed atomic.Bool     // Kill was called
	guards []chan struct{} // closed when a guard has ended

	outputs []*os.File // our ends of its stdout and stderr
}

// Pid of the adapter, or of the wrapper that was started in its place.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Exited is closed when the process has ended and was reaped. Its stderr is complete then, but for what
// surviving children still write.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// ExitStatus says how the process ended: "exit status 1", "signal: killed", "signal: aborted (core dumped)".
// It is empty as long as Exited is open.
func (p *Process) ExitStatus() string {
	select {
	case <-p.exited:
		return p.status
	default:
		return ""
	}
}

// ExitCode is the exit status of a process that has ended, 128 and the signal's number when a signal ended it, as
// shells have it; -1 as long as Exited is open.
func (p *Process) ExitCode() int {
	select {
	case <-p.exited:
	default:
		return -1
	}
	state := p.cmd.ProcessState
	if state == nil {
		return -1
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// lenient takes everything, whatever becomes of it.
type lenient struct{ io.Writer }

func (w lenient) Write(p []byte) (int, error) {
	_, _ = w.Writer.Write(p)
	return len(p), nil
}

// StderrTail returns the last lines the process wrote to stderr (and, after StartAnnounced, to
// stdout): at most 40 and about 8 KiB, in valid UTF-8.
func (p *Process) StderrTail() string { return p.tail.String() }

// CloseStdin gives the process its end of input. It may be called several times.
func (p *Process) CloseStdin() { p.stdin.Close() }

// Kill kills the process and everything in its group. It does not wait. After the process has ended by itself Kill
// still reaches what it left behind in the group.
func (p *Process) Kill() {
	p.killed.Store(true)
	if err := p.group.kill(); err != nil {
		p.log.Warn("kill the debug adapter", "pid", p.Pid(), "error", err)
	}
}

// Stop ends the process: it closes stdin, waits for grace, kills the group if the
// process is then still there, and waits until it has been reaped, for a few seconds at most (a process
// stuck in the kernel cannot be killed). It may be called several times and from several goroutines.
//
// What a process that ended in time has left in its group lives on: it may be a
// debuggee that the user detached from. Kill ends that too.
func (p *Process) Stop(grace time.Duration) {
	p.CloseStdin()
	if !p.exitedWithin(grace) {
		p.log.Debug("the debug adapter did not end in time", "pid", p.Pid(), "grace", grace)
		p.Kill()
		if !p.exitedWithin(unkillable) {
			p.log.Error("the debug adapter could not be killed", "pid", p.Pid())
			return
		}
	}
	p.group.release()
	for _, ended := range p.guards {
		endedWithin(ended, unkillable)
	}
}

func (p *Process) exitedWithin(d time.Duration) bool { return endedWithin(p.exited, d) }

func endedWithin(ended <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
	}
	select {
	case <-ended: // both at once
		return true
	default:
		return false
	}
}

// child is what start gives to the functions that know what the pipes are for.
type child struct {
	*Process
	stdout *os.File
}

// start starts the command with three pipes and begins to drain stderr.
func start(c Command) (child, error) {
	cmd, err := c.prepare()
	if err != nil {
		return child{}, err
	}
	var files []*os.File
	closeAll := func() {
		for _, f := range files {
			f.Close()
		}
	}
	pipe := func() (r, w *os.File) {
		if err != nil {
			return nil, nil
		}
		// Close-on-exec on both ends: no other child of ours inherits them and keeps
		// them open when we are gone.
		if r, w, err = os.Pipe(); err == nil {
			files = append(files, r, w)
		}
		return r, w
	}
	inR, inW := pipe()
	outR, outW := pipe()
	errR, errW := pipe()
	if err != nil {
		closeAll()
		return child{}, c.failed(err)
	}
	// Files, not readers and writers: exec.Cmd then starts no copying
	// goroutines that a grandchild could keep alive.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, errW

	p := &Process{
		cmd: cmd, stdin: &inPipe{File: inW}, exited: make(chan struct{}),
		log: c.logger(), outputs: []*os.File{outR, errR},
	}
	if err := p.group.start(cmd); err != nil {
		closeAll()
		return child{}, c.failed(err)
	}
	inR.Close()
	outW.Close()
	errW.Close()
	p.log.Debug("debug adapter started", "pid", p.Pid(), "path", cmd.Path, "args", c.Args)

	drained := make(chan struct{})
	go func() {
		defer close(drained)
		defer errR.Close()
		from := io.Reader(errR)
		if c.Stderr != nil {
			from = io.TeeReader(errR, lenient{c.Stderr})
		}
		p.drain(from, streamStderr, nil)
	}()
	go p.reap(drained)
	return child{p, outR}, nil
}

// drain reads one stream of the process to its end, into the tail and the log.
func (p *Process) drain(r io.Reader, stream string, each func(line string)) {
	drain(r, &p.tail, stream, func(line string) {
		p.log.Debug("debug adapter wrote", "stream", stream, "line", line)
		if each != nil {
			each(line)
		}
	})
}

// reap waits for the end of the process and tells it.
func (p *Process) reap(drained <-chan struct{}) {
	if err := p.cmd.Wait(); err != nil && p.cmd.ProcessState == nil {
		p.status = "unknown: " + err.Error()
	} else {
		p.status = p.cmd.ProcessState.String()
	}
	p.group.leaderEnded(p.killed.Load())
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case <-drained:
	case <-timer.C:
	}
	p.log.Debug("debug adapter ended", "pid", p.Pid(), "status", p.status)
	close(p.exited)
	p.stdin.Close()
}
