package sourcefile

import (
	"os"
	"slices"
	"syscall"
)

// specialSystems are the file systems that the kernel generates, by their magic numbers: proc, sysfs, debugfs,
// tracefs, cgroup, cgroup2, securityfs, selinux, bpf, pstore, efivarfs, configfs, devpts, nsfs, binfmt_misc, fusectl.
// They may be mounted anywhere.
var specialSystems = []uint32{
	0x9fa0, 0x62656572, 0x64626720, 0x74726163, 0x27e0eb, 0x63677270, 0x73636673, 0xf97cff8c,
	0xcafe4a11, 0x6165676c, 0xde5e81e4, 0x62656570, 0x1cd1, 0x6e736673, 0x42494e4d, 0x65735543,
}

// onSpecialSystem reports whether an open file is on one of them.
func onSpecialSystem(file *os.File) bool {
	var about syscall.Statfs_t
	return syscall.Fstatfs(int(file.Fd()), &about) == nil && slices.Contains(specialSystems, uint32(about.Type))
}
