package program

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"

	"breakwire/adapter/fault"
)

// Core is what a core file says about the program that left it.
type Core struct {
	Signal int      // that ended the program; 0: it is not known
	Files  []string // that were mapped into its memory, its executable among them; none: they are not known
}

// Notes of a core file of Linux, of the owner CORE.
const (
	noteStatus = 1          // NT_PRSTATUS of a thread; that of the first one has the signal
	noteFiles  = 0x46494c45 // NT_FILE
)

// ReadCore reads a core file. It knows those of Linux; of macOS and Windows it knows only that they are some.
func ReadCore(path string) (Core, error) {
	file, err := os.Open(path)
	if err != nil {
		return Core{}, fault.Errorf(fault.InvalidPath, "core %s: %v", path, PathReason(err)).With("path", path)
	}
	defer file.Close()
	head := make([]byte, 16)
	n, _ := io.ReadFull(file, head)
	head = head[:n]
	const machoCore = 4 // MH_CORE
	switch {
	case bytes.HasPrefix(head, []byte("MDMP")):
		return Core{}, nil
	case n == 16 && binary.LittleEndian.Uint32(head) == 0xfeedfacf && binary.LittleEndian.Uint32(head[12:]) == machoCore:
		return Core{}, nil
	}
	e, err := elf.NewFile(file)
	switch {
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}), bytes.HasPrefix(head, []byte{0x1f, 0x8b}),
		bytes.HasPrefix(head, []byte{0x04, 0x22, 0x4d, 0x18}), bytes.HasPrefix(head, []byte("\xfd7zXZ")):
		return Core{}, fault.Errorf(fault.InvalidFile, "core %s is compressed; unpack it first (coredumpctl dump -o FILE, "+
			"zstd -d, ...)", path).With("file", path)
	case err != nil || e.Type != elf.ET_CORE:
		return Core{}, fault.Errorf(fault.InvalidFile, "%s is no core file; the system writes one when a program ends by a "+
			"signal and its limit allows it (ulimit -c unlimited)", path).With("file", path)
	}
	var c Core
	for _, p := range e.Progs {
		if p.Type != elf.PT_NOTE || p.Filesz > 16<<20 {
			continue
		}
		notes, err := io.ReadAll(p.Open())
		if err == nil {
			c.read(notes, e.ByteOrder, e.Class)
		}
	}
	return c, nil
}

// read reads the notes of a core file.
func (c *Core) read(notes []byte, order binary.ByteOrder, class elf.Class) {
	padded := func(n uint32) int { return (int(n) + 3) &^ 3 }
	for len(notes) >= 12 {
		name, size, kind := order.Uint32(notes), order.Uint32(notes[4:]), order.Uint32(notes[8:])
		notes = notes[12:]
		if name > 64 || int64(size) > int64(len(notes)) || padded(name)+int(size) > len(notes) {
			return
		}
		owner, text := string(bytes.TrimRight(notes[:name], "\x00")), notes[padded(name):padded(name)+int(size)]
		notes = notes[min(padded(name)+padded(size), len(notes)):]
		switch {
		case owner != "CORE":
		case kind == noteStatus && c.Signal == 0 && len(text) >= 14:
			c.Signal = int(order.Uint16(text[12:])) // pr_cursig, behind the three numbers of elf_siginfo
		case kind == noteFiles && class == elf.ELFCLASS64 && len(text) >= 16:
			count := order.Uint64(text) // then the size of a page, three numbers for each file, the names
			if count > uint64(len(text))/24 {
				continue
			}
			for _, name := range bytes.Split(text[min(16+24*int(count), len(text)):], []byte{0}) {
				if len(name) > 0 && !slices.Contains(c.Files, string(name)) {
					c.Files = append(c.Files, string(name))
				}
			}
		}
	}
}

// Left reports whether an executable may have left the core file, by its name: that of a mapped file.
func (c Core) Left(exe string) bool {
	names := []string{filepath.Base(exe)}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		names = append(names, filepath.Base(real))
	}
	for _, f := range c.Files {
		if base := filepath.Base(f); base == names[0] || base == names[len(names)-1] {
			return true
		}
	}
	return len(c.Files) == 0
}
