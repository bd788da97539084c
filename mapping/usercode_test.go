package mapping

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIsUserCode(t *testing.T) {
	tests := []struct {
		function, file string
		want           bool
	}{
		{"main.main", "/home/dev/app/main.go", true},
		{"main.main", "/usr/local/go/src/main/main.go", true},
		{"runtime.gopark", "/usr/local/go/src/runtime/proc.go", false},
		{"net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go", false},
		{"net/http.(*conn).serve", `C:\Program Files\Go\src\net\http\server.go`, false},
		{"http.(*conn).serve", "/usr/local/go/src/net/http/server.go", false},
		{"http.HandlerFunc.ServeHTTP", `C:\Program Files\Go\src\net\http\server.go`, false},
		{"linux.Syscall6", "/usr/local/go/src/internal/runtime/syscall/linux/asm_linux_amd64.s", false},
		{"ascii.EqualFold", "/usr/local/go/src/net/http/internal/ascii/print.go", false},
		{"slices.SortFunc[go.shape.[]*github.com/a/b.T,go.shape.*github.com/a/b.T]", "/usr/local/go/src/slices/sort.go",
			false},
		{"main.Map[go.shape.struct { log/slog.x }]", "/home/me/src/log/main.go", true},
		{"poll.(*FD).Accept", "/usr/local/go/src/internal/poll/fd_unix.go", false},
		{"poll.runtime_pollWait", "/usr/local/go/src/runtime/netpoll.go", false},
		{"db.(*Conn).Query", "/home/me/src/internal/db/conn.go", true},
		{"shop.Sum", "/home/me/src/net/shop/sum.go", true},
		{"b.F", "/home/me/src/github.com/a/b/f.go", true},
		{"breakwire/adapter.(*Session).run", "/home/dev/breakwire/adapter/session.go", true},
		{"github.com/a/b.F", "/home/dev/go/pkg/mod/github.com/a/b@v1/f.go", false},
		{"github.com/a/b.F", "/home/me/src/github.com/a/b/f.go", true},
		{"main.main", "example.com/app/main.go", true},
		{"main.main", "./main.go", true},
		{"store.Put", "app/store/store.go", true},
		{"runtime.gopark", "runtime/proc.go", false},
		{"http.(*conn).serve", "net/http/server.go", false},
		{"poll.(*FD).Accept", "internal/poll/fd_unix.go", false},
		{"b.F", "github.com/a/b@v1.2.3/f.go", false},
		{"work", "/home/dev/loop.py", true},
		{"run", "/usr/lib/python3.11/threading.py", false},
		{"f", "/usr/lib/python3/dist-packages/x/y.py", false},
		{"f", "<frozen importlib._bootstrap>", false},
		{"App.Program.Main()", "/src/App/Program.cs", true},
		{"main", "/home/me/loop.c", true},
		{"std::mutex::lock()", "/usr/include/c++/12/bits/std_mutex.h", false},
		{"__gthread_mutex_lock", "/usr/include/x86_64-linux-gnu/c++/12/bits/gthr-default.h", false},
		{"std::__1::mutex::lock()", "/opt/llvm/include/c++/v1/mutex", false},
		{"_mm_pause", "/usr/lib/gcc/x86_64-linux-gnu/12/include/xmmintrin.h", false},
		{"shop::sum()", "/home/me/shop/include/sum.h", true},
		{"app::main", "/home/me/rustc/src/main.rs", true},
		{"std::panicking::panic_handler", "/rustc/59807616/library/std/src/panicking.rs", false},
		{"core::fmt::write", "/home/me/.rustup/toolchains/stable-x/lib/rustlib/src/rust/library/core/src/fmt.rs", false},
		{"serde_json::de", "/home/me/.cargo/registry/src/index.crates.io-1/serde_json-1.0/src/de.rs", false},
		{"lib::f", `C:\Users\me\.cargo\git\checkouts\lib-1\src\lib.rs`, false},
		{"x", "", false},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, IsUserCode(tt.function, tt.file), "%s in %s", tt.function, tt.file)
	}
}

// The lists are for the Go version they were written for: a later one has more packages.
func TestGoStandardIsWhole(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	require.NoError(t, err)
	for pkg := range strings.FieldsSeq(string(out)) {
		assert.False(t, IsUserCode("x.F", "/usr/local/go/src/"+pkg+"/x.go"), "%s is of this Go's standard library: "+
			"add it to goStandard in usercode.go, or the folder behind internal/ to goInternal", pkg)
	}
}
