package program

import (
	"debug/buildinfo"
	"errors"
	"os"
)

// errNotBinary says that a file is not an executable of a known system.
var errNotBinary = errors.New("not an executable")

// GoBinary reports whether an executable was built by Go.
func GoBinary(path string) (bool, error) {
	if _, err := buildinfo.ReadFile(path); err == nil {
		return true, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var magic [4]byte
	if _, err := f.Read(magic[:]); err != nil {
		return false, errNotBinary
	}
	switch string(magic[:]) {
	case "\x7fELF", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe":
		return false, nil
	}
	if string(magic[:2]) == "MZ" {
		return false, nil
	}
	return false, errNotBinary
}
