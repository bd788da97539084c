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
	// lastWords is how long the end of an adapter waits for the rest of its stderr, which a grandchild may keep open
	// for ever.
	lastWords = 200 * time.Millisecond
	// lastFrames is how long its stdout may stay open after that.
	lastFrames = 300 * time.Millisecond
	// unkillable limits the wait for a killed process: one that hangs in the kernel must not delay our own end.
	unkillable = 5 * time.Second
)

// Process is an adapter that we started, in a process group (Windows: a job object) of its own. One goroutine reaps
// it; another drains its stderr as long as any process holds it open.
//
// There is no parent-death signal. When we die, the kernel closes our end of the adapter's stdin. At the end of its
// input every known adapter ends what it launched and then itself; a signal would end the adapter at once and leave
// the debuggee alive.
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

// Pid returns the pid of the adapter, or of the wrapper that was started in its place.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Exited returns a channel that is closed when the process has ended and was reaped. Its stderr is complete then,
// except for the output of surviving children.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// ExitStatus returns how the process ended: "exit status 1", "signal: killed", "signal: aborted (core dumped)". It is
// empty until Exited is closed.
func (p *Process) ExitStatus() string {
	select {
	case <-p.exited:
		return p.status
	default:
		return ""
	}
}

// ExitCode returns the exit status of a process that has ended, or 128 plus the number of the signal that ended it,
// as in shells. It is -1 until Exited is closed.
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

// Signal returns the number of the signal that ended the process, 0 when none did or it has not ended.
func (p *Process) Signal() int {
	select {
	case <-p.exited:
	default:
		return 0
	}
	if p.cmd.ProcessState == nil {
		return 0
	}
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return int(status.Signal())
	}
	return 0
}

// lenient accepts every write and ignores errors.
type lenient struct{ io.Writer }

func (w lenient) Write(p []byte) (int, error) {
	_, _ = w.Writer.Write(p)
	return len(p), nil
}

// StderrTail returns the last lines that the process wrote to stderr (after StartAnnounced also to stdout): at most
// 40 lines and about 8 KiB, in valid UTF-8.
func (p *Process) StderrTail() string { return p.tail.String() }

// CloseStdin closes the input of the process. It may be called several times.
func (p *Process) CloseStdin() { p.stdin.Close() }

// Kill kills the process and everything in its group. It does not wait. After the process has ended by itself, Kill
// still reaches what is left in the group.
func (p *Process) Kill() {
	p.killed.Store(true)
	if err := p.group.kill(); err != nil {
		p.log.Warn("kill the debug adapter", "pid", p.Pid(), "error", err)
	}
}

// Stop ends the process. It closes stdin, waits for grace, kills the group if the process still runs, and waits until
// it is reaped, for 5 s at most, because a process that hangs in the kernel cannot be killed. It may be called
// several times and from several goroutines.
//
// When the process ends in time, what it has left in its group lives on, because that may be a debuggee from which
// the user detached. Kill ends that too.
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
	case <-ended: // both happened
		return true
	default:
		return false
	}
}

// child gives the functions that know the purpose of the pipes access to them.
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
		// Both ends are close-on-exec: no other child inherits them and keeps them open after our end.
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
	// Files, not readers and writers: otherwise exec.Cmd starts goroutines for copying, which a grandchild could keep
	// alive.
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

// reap waits for the end of the process and publishes it.
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
