package dapclient

import (
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is the job object that holds a child and its descendants.
type group struct {
	mu  sync.Mutex
	job windows.Handle // 0 after release
}

// start starts the command in a new job that ends with our last handle to it, so also when we are killed. The child
// joins the job right after its start, not while suspended. What it starts within those few microseconds stays
// outside, but an adapter starts nothing before our first request.
func (g *group) start(cmd *exec.Cmd) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("create job object: %w", err)
	}
	if err := setJobLimits(job, windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE); err != nil {
		windows.CloseHandle(job)
		return fmt.Errorf("set up job object: %w", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow: true,
		// A console's ^C reaches only us.
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP,
	}
	if err := cmd.Start(); err != nil {
		windows.CloseHandle(job)
		return err
	}
	assignErr := error(nil)
	err = cmd.Process.WithHandle(func(h uintptr) {
		assignErr = windows.AssignProcessToJobObject(job, windows.Handle(h))
	})
	if err == nil {
		err = assignErr
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		windows.CloseHandle(job)
		return fmt.Errorf("assign to job object: %w", err)
	}
	g.job = job
	return nil
}

// groupsEndWithUs reports whether the system kills our groups when we end, however that happens.
const groupsEndWithUs = true

// groupOf returns the group of a leader that another process has started: it has ended with that process.
func groupOf(int) *group { return &group{} }

// gone reports whether no process is left in a group that another process had started.
func (g *group) gone() bool { return g.job == 0 }

func setJobLimits(job windows.Handle, flags uint32) error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = flags
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return err
}

// kill kills all processes of the job.
func (g *group) kill() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job == 0 {
		return nil
	}
	return windows.TerminateJobObject(g.job, 1)
}

// leaderEnded records that the leader has ended. A job that was killed is empty.
func (g *group) leaderEnded(killed bool) {
	if killed {
		g.release()
	}
}

// release closes the job without killing its processes.
func (g *group) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job == 0 {
		return
	}
	if err := setJobLimits(g.job, 0); err != nil {
		return // keep the handle: closing it would kill
	}
	windows.CloseHandle(g.job)
	g.job = 0
}

func unblock(syscall.Conn) error { return nil }

// SignalName returns "": Windows ends no process by a signal.
func SignalName(int) string { return "" }
