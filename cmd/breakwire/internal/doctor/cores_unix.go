//go:build unix

package doctor

import "golang.org/x/sys/unix"

// coresAllowed reports whether this user's programs may leave core files.
func coresAllowed() bool {
	var limit unix.Rlimit
	return unix.Getrlimit(unix.RLIMIT_CORE, &limit) != nil || limit.Cur > 0
}
