package mapping

import (
	"testing"

	"github.com/stretchr/testify/assert"
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
		{"breakwire/adapter.(*Session).run", "/home/dev/breakwire/adapter/session.go", true},
		{"github.com/a/b.F", "/home/dev/go/pkg/mod/github.com/a/b@v1/f.go", false},
		{"github.com/a/b.F", "/home/me/src/github.com/a/b/f.go", true},
		{"work", "/home/dev/loop.py", true},
		{"run", "/usr/lib/python3.11/threading.py", false},
		{"f", "/usr/lib/python3/dist-packages/x/y.py", false},
		{"f", "<frozen importlib._bootstrap>", false},
		{"App.Program.Main()", "/src/App/Program.cs", true},
		{"main", "/home/me/loop.c", true},
		{"x", "", false},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, IsUserCode(tt.function, tt.file), "%s in %s", tt.function, tt.file)
	}
}
