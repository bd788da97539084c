package scratch

import (
	"os"

	"golang.org/x/sys/unix"
)

// unnamedFile returns a file in memory.
func unnamedFile(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), name)
	if _, err := file.Write(data); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
