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

// guardPause is how often a guard looks whether the adapter has ended.
const guardPause = 100 * time.Millisecond

// guardHold is how long a guard keeps a connection open: a step under way ends meanwhile.
const guardHold = time.Second

// guardLook is how often it looks what the adapter has started.
const guardLook = time.Second

// Guard starts a second process that ends this one if we are killed and it does not end by itself. Most adapters need
// none: they end at the end of their input, and so does what they launched (see Process). On Windows it does nothing:
// the job object ends with us.
//
// The command gets the pid and the start time as its last arguments and a pipe as its standard input, and is to call
// RunGuard. It leads a group of its own and ends with the process that it guards; Stop waits for it. Guard is to be
// called before Stop.
func (p *Process) Guard(command []string) error {
	_, err := p.guardUntil(command)
	return err
}

// GuardHolding is Guard with a guard that keeps the adapter's connection and its output open for guardHold after our
// end. The command gets the number of the files that it has inherited for that, from 3 on, as one more argument. A
// Delve whose connection ends in the middle of a step leaves a trap in the program that it was attached to, and one
// whose output nobody holds may end before it lets go.
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
	// The start of a process makes what it hands on blocking, which they share with ours.
	for _, c := range []syscall.Conn{conn, p.outputs[0], p.outputs[1]} {
		err = errors.Join(err, unblock(c))
	}
	return err
}

// inherited are the files that a guard was given.
func inherited(n int) []*os.File {
	files := make([]*os.File, n)
	for i := range files {
		files[i] = os.NewFile(uintptr(3+i), "inherited")
	}
	return files
}

// guardUntil is Guard with a guard that can be dismissed before the end of the process.
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

// RunGuard is the guard's side. It returns at once when in has a byte. At the end of in it gives the process this time
// to end by itself and then kills it; what it leaves in its group, such as a program that it launched, is given the
// same time and then killed too.
//
// hold is the number of files that it was given to keep open for a moment (GuardHolding).
func RunGuard(in io.Reader, pid int, start string, hold int, grace time.Duration) error {
	held := inherited(hold)
	told := make(chan bool, 1)
	go func() {
		n, _ := in.Read(make([]byte, 1))
		told <- n > 0
	}()
	// What has left the group is found as long as its parent lives, so it is looked for all the time.
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
		held[0].Close() // the connection; the output is held until the guard ends
	}
	if Alive(pid, start) {
		started = append(started, Descendants(pid)...)
	}
	if !within(grace, func() bool { return !Alive(pid, start) }) {
		// Only the adapter at first: the server that lldb-dap debugs through lets go of an attached process when it
		// loses lldb-dap, and would take it along if it were killed.
		if err := KillPid(pid, start); err != nil && !errors.Is(err, ErrNoProcess) {
			return err
		}
	}
	// The group's number is given to nobody while anything is in it: a new process that has it says that the group is
	// gone.
	left := groupOf(pid)
	err := error(nil)
	if !within(grace, func() bool { return left.gone() || isAnother(pid, start) }) {
		err = left.kill()
	}
	return errors.Join(err, KillLeft(started))
}

// isAnother tells that the process that has this pid is not the one that had this start.
func isAnother(pid int, start string) bool {
	info, err := FindProcess(pid)
	return err == nil && info.Start != start
}

// within looks again and again whether something has come true.
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
