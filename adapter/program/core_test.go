package program

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
)

// note returns a note of a core file.
func note(owner string, kind uint32, text []byte) []byte {
	var out bytes.Buffer
	for _, n := range []uint32{uint32(len(owner) + 1), uint32(len(text)), kind} {
		_ = binary.Write(&out, binary.LittleEndian, n)
	}
	pad := func(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }
	out.Write(pad(append([]byte(owner), 0)))
	out.Write(pad(text))
	return out.Bytes()
}

// coreFile writes a core file of Linux with notes.
func coreFile(t *testing.T, kind elf.Type, notes ...[]byte) string {
	t.Helper()
	all := bytes.Join(notes, nil)
	var out bytes.Buffer
	head := elf.Header64{Type: uint16(kind), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64, Ehsize: 64,
		Phentsize: 56, Phnum: 1, Shentsize: 64}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	_ = binary.Write(&out, binary.LittleEndian, head)
	_ = binary.Write(&out, binary.LittleEndian, elf.Prog64{Type: uint32(elf.PT_NOTE), Off: 120, Filesz: uint64(len(all))})
	out.Write(all)
	return write(t, out.String(), t.TempDir(), "core")
}

func TestReadCore(t *testing.T) {
	status := make([]byte, 40)
	status[12] = 11
	var files bytes.Buffer
	for _, n := range []uint64{2, 4096, 1, 2, 3, 4, 5, 6} {
		_ = binary.Write(&files, binary.LittleEndian, n)
	}
	files.WriteString("/usr/bin/shop\x00/lib/libc.so\x00")
	core, err := ReadCore(coreFile(t, elf.ET_CORE, note("LINUX", noteStatus, make([]byte, 40)),
		note("CORE", noteStatus, status), note("CORE", noteStatus, make([]byte, 40)), note("CORE", noteFiles, files.Bytes())))
	require.NoError(t, err)
	require.Equal(t, Core{Signal: 11, Files: []string{"/usr/bin/shop", "/lib/libc.so"}}, core)
	require.True(t, core.Left("/home/me/shop"))
	require.False(t, core.Left("/usr/bin/cart"))
	if link := filepath.Join(t.TempDir(), "link"); os.Symlink(write(t, "", t.TempDir(), "shop"), link) == nil {
		require.True(t, core.Left(link))
	}
	for _, notes := range [][]byte{nil, {1, 2, 3}, note("CORE", noteStatus, nil),
		note("CORE", noteFiles, make([]byte, 15)),
		note("CORE", noteFiles, bytes.Repeat([]byte{0xff}, 64)), note("CORE", noteStatus, status)[:30]} {
		core, err = ReadCore(coreFile(t, elf.ET_CORE, notes))
		require.NoError(t, err)
		require.Equal(t, Core{}, core)
		require.True(t, core.Left("/usr/bin/cart"), "nobody knows")
	}
	for name, file := range map[string]string{"text": write(t, "int main() {}", t.TempDir(), "a.c"),
		"empty": write(t, "", t.TempDir(), "a"), "program": coreFile(t, elf.ET_EXEC),
		"compressed": write(t, "\x28\xb5\x2f\xfd 0123456789abc", t.TempDir(), "core.zst")} {
		_, err = ReadCore(file)
		require.Equal(t, fault.InvalidFile, fault.CodeOf(err), name)
	}
	_, err = ReadCore(filepath.Join(t.TempDir(), "none"))
	require.Equal(t, fault.InvalidPath, fault.CodeOf(err))
	_, err = ReadCore(write(t, "MDMP\x93\xa7", t.TempDir(), "a.dmp"))
	require.NoError(t, err)
}
