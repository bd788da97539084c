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
	const monitor = `class Bank {
  void Move() {
    Monitor.Enter(a); // at a
    try {
      bool got = Monitor.TryEnter(b, 100); // at b
      Work(); // at both
      Monitor.Exit(b);
      Work(); // at exit
    } finally { Monitor.Exit(a); }
  }
  void Other() { lock (c) {
      Monitor.Wait(c); // at other
  } }
}`
	for _, row := range []struct {
		at, waits string
		held      []string
	}{
		{"at a", "a", nil}, {"at b", "b", []string{"a"}}, {"at both", "", []string{"a", "b"}},
		{"at exit", "", []string{"a"}}, {"at other", "", []string{"c"}},
	} {
		before, _, _ := strings.Cut(monitor, row.at)
		waits, held := csharpLocks(monitor, strings.Count(before, "\n")+1)
		require.Equal(t, row.waits, waits, row.at)
		require.Equal(t, row.held, held, row.at)
	}
	for _, broken := range []string{"Monitor.", "Monitor.Enter(", "Monitor.Enter", "\n"} {
		waits, held := csharpLocks(broken, 3)
		require.Empty(t, waits+strings.Join(held, ""))
	}
	waits, held := csharpLocks("lock (", 1)
	require.Empty(t, waits+strings.Join(held, ""))
}
