package dapclient

import (
	"errors"
	"slices"
)

// relative is a process as descendants sees it.
type relative struct {
	pid, parent int
	start       string
}

// Descendants lists the descendants of a process whose parents all live: an orphan has another parent. Only Pid and
// Start are set. On Windows the list is empty, because there the job object ends them.
func Descendants(pid int) []ProcInfo { return below(relatives(), pid) }

// below finds the descendants of a process among all processes, parents first.
func below(all []relative, pid int) []ProcInfo {
	children := map[int][]relative{}
	for _, r := range all {
		children[r.parent] = append(children[r.parent], r)
	}
	var found []ProcInfo
	for open := slices.Clone(children[pid]); len(open) > 0; open = open[1:] {
		r := open[0]
		if r.pid == pid || slices.ContainsFunc(found, func(p ProcInfo) bool { return p.Pid == r.pid }) {
			continue
		}
		found = append(found, ProcInfo{Pid: r.pid, Start: r.start})
		open = append(open, children[r.pid]...)
	}
	return found
}

// KillLeft kills those processes that still live, with what they have started since.
func KillLeft(list []ProcInfo) error {
	var errs []error
	for _, p := range list {
		if !Alive(p.Pid, p.Start) {
			continue
		}
		for _, q := range append([]ProcInfo{p}, Descendants(p.Pid)...) {
			if err := KillPid(q.Pid, q.Start); err != nil && !errors.Is(err, ErrNoProcess) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}
