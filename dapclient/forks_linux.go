package dapclient

import (
	"bytes"
	"debug/elf"
	"os"
	"slices"
	"strings"
)

func forksOf(pid int) Forks {
	stat, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return Forks{}
	}
	own, _, _, err := parseStat(stat)
	if err != nil {
		return Forks{}
	}
	var f Forks
	const first, minor, major = 3, 11, 13 // field numbers of proc(5): page faults of children that were waited for
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	f.Reaped = fields[minor-first] != "0" || fields[major-first] != "0"
	for _, r := range relatives() {
		if r.parent != pid {
			continue
		}
		// A child that runs another program has another name.
		stat, err := os.ReadFile(procPath(r.pid, "stat"))
		if err != nil {
			continue
		}
		if name, _, _, err := parseStat(stat); err == nil && name == own {
			f.Children = append(f.Children, r.pid)
		}
	}
	return f
}

func callsFork(exe string) bool {
	f, err := elf.Open(exe)
	if err != nil {
		return false
	}
	defer f.Close()
	imported, _ := f.ImportedSymbols()
	return slices.ContainsFunc(imported, func(s elf.ImportedSymbol) bool {
		return s.Name == "fork" || s.Name == "vfork" || s.Name == "_Fork"
	})
}
