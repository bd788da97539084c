package inspect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCsharpLocks(t *testing.T) {
	const text = `class Bank {
  void Move() {
    lock (first) { // at first
      Console.WriteLine("lock (text) {"); /* lock (comment) { */
      lock(accounts[Key("a)")]) // at second
      {
        Work(); // at inside
      }
      Work(); // at after
      block (other); x.lock (no); '}'.Equals(@"\");
      lock (one) Work(); // at one
      lock (last)
        Work(); // at last
    }
    Work(); // at end
  }
}`
	for _, row := range []struct {
		at, waits string
		held      []string
	}{
		{"at first", "first", nil},
		{"at second", `accounts[Key("a)")]`, []string{"first"}},
		{"at inside", "", []string{"first", `accounts[Key("a)")]`}},
		{"at after", "", []string{"first"}},
		{"at one", "one", []string{"first"}},
		{"at last", "", []string{"first", "last"}},
		{"at end", "", nil},
	} {
		before, _, found := strings.Cut(text, row.at)
		require.True(t, found)
		waits, held := csharpLocks(text, strings.Count(before, "\n")+1)
		require.Equal(t, row.waits, waits, row.at)
		require.Equal(t, row.held, held, row.at)
	}
	waits, held := csharpLocks("lock (", 1)
	require.Empty(t, waits+strings.Join(held, ""))
}
