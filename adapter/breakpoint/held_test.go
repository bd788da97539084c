package breakpoint

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Of several lists of one file, the one with entries is used, whatever was tried before.
func TestListWithEntriesIsUsed(t *testing.T) {
	set := &Set{Entries: []*Entry{{Line: 1}}}
	h := &Held{Files: map[string]*Set{`C:\src\main.go`: {}, `c:\src\main.go`: set,
		`C:/src/main.go`: {}, `C:\src\other.go`: set}}
	for range 50 {
		for _, path := range []string{`C:\src\main.go`, `c:\src\main.go`, `c:/src/MAIN.go`} {
			require.Equal(t, `c:\src\main.go`, h.ListOf(path))
		}
	}
	require.Equal(t, `C:\src\new.go`, h.ListOf(`C:\src\new.go`))
}
