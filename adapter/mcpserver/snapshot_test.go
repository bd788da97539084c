package mcpserver_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/mcptest"
	"breakwire/dapclient/daptest"
	"breakwire/fixtures"
)

// nested is a value with children down to this depth.
func nested(depth int) daptest.Var {
	v := daptest.Var{Name: "Leaf", Type: "int", Value: "1"}
	for range depth {
		v = daptest.Var{Name: "Next", Type: "App.Node", Value: "{App.Node}", Children: []daptest.Var{v}}
	}
	v.Name = "root"
	return v
}

func TestSnapshots(t *testing.T) {
	eachShape(t, func(t *testing.T, name string, shape daptest.Shape) {
		s := serve(t, name, shape, loop(3))
		s.Refused(fault.NoSession, "snapshot_create", nil)
		s.breakAt(10)
		s.launch(t)
		require.Equal(t, "paused", s.state())
		a := s.Do("snapshot_create", mcptest.Args{"label": "first"})
		require.Equal(t, "snap-1", a.String("snapshot.id"))
		require.Equal(t, "first", a.String("snapshot.label"))
		require.Equal(t, 2, a.Int("snapshot.variableCount"))
		require.Equal(t, 10, a.Int("snapshot.location.line"))
		s.Do("debug_continue", mcptest.Args{"wait": true})
		b := s.Do("snapshot_create", nil)
		require.Equal(t, "snapshot-2", b.String("snapshot.label"))
		s.Do("snapshot_create", mcptest.Args{"frame_index": 1})

		// The following calls need no program.
		s.Do("debug_disconnect", nil)
		d := s.Do("snapshot_diff", mcptest.Args{"snapshot_id_1": "snap-1", "snapshot_id_2": "snap-2"}).At("diff")
		require.JSONEq(t, `{"added":0,"removed":0,"modified":2,"unchanged":0}`, string(d.At("summary").Raw))
		require.JSONEq(t, `[{"name":"i","path":"i","type":"int","oldValue":"0","newValue":"1"},{"name":"square",`+
			`"path":"square","type":"int","oldValue":"0","newValue":"1"}]`,
			string(d.At("modified").Raw))
		require.False(t, d.Bool("threadMismatch"))
		require.Regexp(t, `^00:00:\d\d\.\d{7}$`, d.String("timeDelta"))
		require.Empty(t, d.String("note"))
		back := s.Do("snapshot_diff", mcptest.Args{"snapshot_id_1": "snap-2", "snapshot_id_2": "snap-1"}).At("diff")
		require.Equal(t, "1", back.String("modified.0.oldValue"))
		require.Regexp(t, `^-00:00:`, back.String("timeDelta"))
		same := s.Do("snapshot_diff", mcptest.Args{"snapshot_id_1": "snap-1", "snapshot_id_2": "snap-1"}).At("diff")
		require.Equal(t, 2, same.Int("summary.unchanged"))
		other := s.Do("snapshot_diff", mcptest.Args{"snapshot_id_1": "snap-1", "snapshot_id_2": "snap-3"}).At("diff")
		require.Contains(t, other.String("note"), "different functions: ")

		list := s.Do("snapshot_list", nil)
		require.Equal(t, 3, list.Int("count"))
		one := s.Do("snapshot_list", mcptest.Args{"snapshot_id": "snap-2"})
		require.Equal(t, "square", one.String("variables.1.path"))
		require.Equal(t, "1", one.String("variables.1.value"))
		require.Equal(t, 2, s.Do("snapshot_delete", mcptest.Args{"snapshot_id": "snap-1"}).Int("remaining"))
		e := s.Refused(fault.SnapshotNotFound, "snapshot_diff",
			mcptest.Args{"snapshot_id_1": "snap-2", "snapshot_id_2": "snap-1"})
		require.Equal(t, []string{"snap-2", "snap-3"}, e.Strings("error.details.known"))
		s.Refused(fault.SnapshotNotFound, "snapshot_delete", mcptest.Args{"snapshot_id": "snap-1"})
		s.Refused(fault.SnapshotNotFound, "snapshot_list", mcptest.Args{"snapshot_id": "snap-1"})
		require.Equal(t, "all", s.Do("snapshot_delete", nil).String("deleted"))
		require.Equal(t, 0, s.Do("snapshot_list", nil).Int("count"))
	})
}

// TestSnapshotBounds checks depth, pages, truncation, and the number of snapshots.
func TestSnapshotBounds(t *testing.T) {
	s := netcoredbg(t, standing(append(crowdedStop(), nested(4))...))
	stand(t, s)
	for depth, want := range []string{"root", "root.Next", "root.Next.Next"} {
		id := s.Do("snapshot_create", mcptest.Args{"depth": depth}).String("snapshot.id")
		var paths []string
		start := 0
		for {
			page := s.Do("snapshot_list", mcptest.Args{"snapshot_id": id, "start": start})
			require.Less(t, len(page.Raw), 10<<10)
			for i := range page.Len("variables") {
				paths = append(paths, page.String(fmt.Sprintf("variables.%d.path", i)))
			}
			if start = page.Int("nextStart"); start == 0 {
				break
			}
		}
		require.Contains(t, paths, want)
		require.NotContains(t, paths, want+".Next")
		if depth > 0 {
			require.Contains(t, paths, "big[499]")
			require.NotContains(t, paths, "big[500]")
		}
	}
	require.False(t, s.Do("snapshot_list", nil).Bool("snapshots.0.truncated"))
	require.True(t, s.Do("snapshot_list", nil).Bool("snapshots.1.truncated"), "an array of 2,500 is not there in full")
	s.Refused(fault.InvalidParameter, "snapshot_create", mcptest.Args{"depth": 11})

	// All differences can be read in pages, and each page has the total numbers.
	d := map[string]int{}
	start := 0
	for {
		page := s.Do("snapshot_diff", mcptest.Args{"snapshot_id_1": "snap-1", "snapshot_id_2": "snap-2",
			"start": start}).At("diff")
		require.Less(t, len(page.Raw), 10<<10)
		require.Contains(t, page.String("note"), "different depths")
		for i := range page.Len("added") {
			d[page.String(fmt.Sprintf("added.%d.path", i))]++
		}
		if start = page.Int("nextStart"); start == 0 {
			require.Len(t, d, page.Int("summary.added"))
			break
		}
	}
	require.Equal(t, 1, d["root.Next"])
	require.Equal(t, 1, d["big[499]"])

	for range 47 {
		s.Do("snapshot_create", nil)
	}
	s.Refused(fault.SnapshotLimit, "snapshot_create", nil)
	s.Do("snapshot_delete", mcptest.Args{"snapshot_id": "snap-1"})
	require.Equal(t, "snap-51", s.Do("snapshot_create", nil).String("snapshot.id"))
}

// TestSnapshotsRecorded uses a recorded session of netcoredbg.
func TestSnapshotsRecorded(t *testing.T) {
	s := recordedThreads(t)
	c := s.Do("snapshot_create", nil)
	require.Equal(t, "ThreadsApp.Program.Inspect()", c.String("snapshot.functionName"))
	page := s.Do("snapshot_list", mcptest.Args{"snapshot_id": "snap-1"})
	require.Greater(t, page.Len("variables"), 20)
	require.Equal(t, c.Int("snapshot.variableCount"), page.Len("variables"))
}

func TestLiveSnapshots(t *testing.T) {
	c := liveDelve(t)
	c.Do("breakpoint_set", mcptest.Args{"file": fixtures.GoSource("loop"), "line": 27, "condition": "i >= 3"})
	c.Do("debug_launch", mcptest.Args{"program": fixtures.BuildGo(t, "loop"), "args": []string{"8"}, "backend": "dlv"})
	c.Do("debug_continue", mcptest.Args{"wait": true})
	c.Do("snapshot_create", mcptest.Args{"depth": 1})
	c.Do("debug_continue", mcptest.Args{"wait": true})
	c.Do("snapshot_create", mcptest.Args{"depth": 1})
	c.Do("debug_continue", nil)
	d := c.Do("snapshot_diff", mcptest.Args{"snapshot_id_1": "snap-1", "snapshot_id_2": "snap-2"})
	got := map[string][2]string{}
	for i := range d.Len("diff.modified") {
		m := d.At(fmt.Sprintf("diff.modified.%d", i))
		got[m.String("path")] = [2]string{m.String("oldValue"), m.String("newValue")}
	}
	require.Equal(t, map[string][2]string{"i": {"3", "4"}, "sum": {"5", "7"}}, got)
}
