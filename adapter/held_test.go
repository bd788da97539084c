package adapter

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Of several lists of one file, the one with entries is used, whatever was tried before.
func TestListWithEntriesIsUsed(t *testing.T) {
	set := &fileSet{entries: []*entry{{line: 1}}}
	h := &held{files: map[string]*fileSet{`C:\src\main.go`: {}, `c:\src\main.go`: set,
		`C:/src/main.go`: {}, `C:\src\other.go`: set}}
	for range 50 {
		for _, path := range []string{`C:\src\main.go`, `c:\src\main.go`, `c:/src/MAIN.go`} {
			require.Equal(t, `c:\src\main.go`, h.listOf(path))
		}
	}
	require.Equal(t, `C:\src\new.go`, h.listOf(`C:\src\new.go`))
}
