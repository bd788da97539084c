package mcpserver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/mcpserver/mcptest"
)

const panicsText = `package main

import (
	"errors"
	"fmt"
	"io/fs"
)

type own struct{ code int }

func (o *own) Error() string { return fmt.Sprint("own ", o.code) }

func try(f func()) {
	defer func() { _ = recover() }()
	f()
}

func main() {
	var m map[string]int
	try(func() { m["x"] = 1 })     // line 20
	try(func() { panic("boom") })  // line 21
	try(func() { panic(&own{7}) }) // line 22
	try(func() {
		panic(fmt.Errorf("outer: %w", &fs.PathError{Op: "open", Path: "/x", Err: fs.ErrNotExist})) // line 24
	})
	panic(fmt.Errorf("last: %w", errors.Join(errors.New("first"), &own{9}))) // line 26
}
`

// Each panic stops in the program's own line with its value, also one that is recovered; the last one stops twice.
func TestLiveRecoveredPanics(t *testing.T) {
	c := liveDelve(t)
	file := writeGo(t, t.TempDir(), panicsText)
	c.Do("breakpoint_set_exception", mcptest.Args{"exception_type": "*"})
	c.Do("debug_launch", mcptest.Args{"program": file})
	for i, want := range []struct {
		line    int
		message string
		first   bool
	}{
		{20, `"assignment to entry in nil map"`, true},
		{21, `"boom"`, true},
		{22, `*main.own {code: 7}`, true},
		{24, `outer: open /x`, true},
		{26, `last: first`, true},
		{26, `last: first`, false},
	} {
		r := next(c)
		require.Equal(t, "exception", r.String("reason"), "%s", r.Raw)
		require.Equal(t, i+1, r.Int("stop.hitCount"))
		require.Equal(t, want.line, r.Int("stop.location.line"), "%s", r.Raw)
		require.Contains(t, r.String("stop.exception.message"), want.message)
		require.Equal(t, want.first, r.Bool("stop.exception.isFirstChance"))
	}
	require.Equal(t, 2, next(c).Int("session.exitCode"))
}
