package dapclient

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// guardPause is the interval at which a guard checks whether the adapter has ended.
const guardPause = 100 * time.Millisecond

// guardHold is how long a guard keeps a connection open, so that a step under way can end.
const guardHold = time.Second

// guardLook is the interval at which a guard lists what the adapter has started.
const guardLook = time.Second

// Guard starts a second process, the guard. It ends this one if we are killed and this one does not end by itself.
// Most adapters need no guard: they end at the end of their input, with what they launched (see Process). On Windows
// Guard does nothing, because the job object ends with us.
//
// The command gets a pipe as its standard input and the pid and the start time as its last arguments. It must call
// RunGuard. The guard leads a process group of its own and ends with the process that it guards; Stop waits for it.
// Guard must be called before Stop.
func (p *Process) Guard(command []string) error {
	_, err := p.guardUntil(command)
	return err
}

// GuardHolding is Guard, but after our end the guard keeps the adapter's connection and output open for guardHold.
// The number of inherited files, from descriptor 3 on, is one more argument of the command. Without this, a Delve
// whose connection ends during a step leaves a breakpoint instruction in the attached program, and one whose output
// is closed may end before it detaches.
func (p *Process) GuardHolding(command []string, stream io.ReadWriteCloser) error {
	conn, ok := stream.(interface {
		File() (*os.File, error)
		syscall.Conn
	})
	if !ok || groupsEndWithUs {
		return p.Guard(command)
	}
	socket, err := conn.File()
	if err != nil {
		return fmt.Errorf("guard the debug adapter: %w", err)
	}
	defer socket.Close()
	_, err = p.guardUntil(command, append([]*os.File{socket}, p.outputs...)...)
	// The start of a process makes the inherited files blocking, and ours with them.
	for _, c := range []syscall.Conn{conn, p.outputs[0], p.outputs[1]} {
		err = errors.Join(err, unblock(c))
	}
	return err
}

// inherited returns the files that a guard was given.
func inherited(n int) []*os.File {
	files := make([]*os.File, n)
	for i := range files {
		files[i] = os.NewFile(uintptr(3+i), "inherited")
	}
	return files
}

// guardUntil is Guard with a function that ends the guard early.
func (p *Process) guardUntil(command []string, hold ...*os.File) (dismiss func(), err error) {
	if groupsEndWithUs {
		return func() {}, nil
	}
	info, err := FindProcess(p.Pid())
	if err != nil {
		return nil, fmt.Errorf("guard the debug adapter: %w", err)
	}
	args := append(command[1:len(command):len(command)], strconv.Itoa(info.Pid), info.Start)
	if len(hold) > 0 {
		args = append(args, strconv.Itoa(len(hold)))
	}
	cmd := exec.Command(command[0], args...)
	cmd.ExtraFiles = hold
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("guard the debug adapter: %w", err)
	}
	var own group
	if err := own.start(cmd); err != nil {
		return nil, fmt.Errorf("guard the debug adapter: %w", err)
	}
	p.log.Debug("debug adapter is guarded", "pid", p.Pid(), "guard", cmd.Process.Pid)
	dismissed, ended := make(chan struct{}), make(chan struct{})
	p.guards = append(p.guards, ended)
	go func() {
		defer close(ended)
		select {
		case <-p.exited:
		case <-dismissed:
		}
		_, _ = in.Write([]byte("\n"))
		in.Close()
		_ = cmd.Wait()
	}()
	return sync.OnceFunc(func() { close(dismissed) }), nil
}

// RunGuard is the guard's side. It returns at once when in has a byte. At the end of in it waits for grace until the
// process ends by itself, then kills it. What is left in its group, such as a launched program, is treated in the
// same way.
//
// hold is the number of inherited files to keep open for guardHold (GuardHolding).
func RunGuard(in io.Reader, pid int, start string, hold int, grace time.Duration) error {
	held := inherited(hold)
	told := make(chan bool, 1)
	go func() {
		n, _ := in.Read(make([]byte, 1))
		told <- n > 0
	}()
	// A process that has left the group can be found only while its parent lives, so the list is renewed all the
	// time.
	ticker := time.NewTicker(guardLook)
	defer ticker.Stop()
	var started []ProcInfo
	for open := true; open; {
		select {
		case dismissed := <-told:
			if dismissed {
				return nil
			}
			open = false
		case <-ticker.C:
			started = Descendants(pid)
		}
	}
	if len(held) > 0 {
		time.Sleep(guardHold)
		held[0].Close() // the connection; the output stays open until the guard ends
	}
	if Alive(pid, start) {
		started = append(started, Descendants(pid)...)
	}
	if !within(grace, func() bool { return !Alive(pid, start) }) {
		// Only the adapter at first: the server that lldb-dap debugs through detaches from an attached process when
		// it loses lldb-dap. If the server were killed, the process would be killed with it.
		if err := KillPid(pid, start); err != nil && !errors.Is(err, ErrNoProcess) {
			return err
		}
	}
	// While a process is in the group, its number is not reused. So a new process with this pid means that the group
	// is gone.
	left := groupOf(pid)
	err := error(nil)
	if !within(grace, func() bool { return left.gone() || isAnother(pid, start) }) {
		err = left.kill()
	}
	return errors.Join(err, KillLeft(started))
}

// isAnother reports whether the process with this pid has another start time.
func isAnother(pid int, start string) bool {
	info, err := FindProcess(pid)
	return err == nil && info.Start != start
}

// within repeats a check until it is true or d has passed, and reports the result.
func within(d time.Duration, done func() bool) bool {
	ticker := time.NewTicker(guardPause)
	defer ticker.Stop()
	for end := time.Now().Add(d); !done(); <-ticker.C {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
