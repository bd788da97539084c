package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/cmd/breakwire/internal/doctor"
	"breakwire/fixtures"
)

func TestDoctorSaysByItsStatusWhetherADebuggerWorks(t *testing.T) {
	delve := fixtures.Delve(t)
	fixtures.HideDebuggers(t)
	for _, c := range []struct {
		name, delve string
		want        int
	}{
		{"nothing installed", "", exitFailure},
		{"Delve", delve, exitOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.delve != "" {
				t.Setenv("DLV_PATH", c.delve)
			}
			status, out, problems := tryRun(t, "doctor", "--json")
			require.Empty(t, problems)
			require.Equal(t, c.want, status)
			var r doctor.Report
			require.NoError(t, json.Unmarshal([]byte(out), &r), out)
			require.Equal(t, c.want == exitOK, r.OK)
			status, out, problems = tryRun(t, "doctor")
			require.Empty(t, problems)
			require.Equal(t, c.want, status)
			require.Contains(t, out, "breakwire "+version+" on ")
			require.NotContains(t, out, "\x1b[", "no colours but on a terminal")
		})
	}
}

func TestDoctorUsage(t *testing.T) {
	status, _, problems := tryRun(t, "doctor", "a", "b")
	require.Equal(t, exitUsage, status)
	require.Contains(t, problems, "one program at a time")
}

func TestASCIIOnly(t *testing.T) {
	for _, c := range []struct {
		all, lang string
		want      bool
	}{{"", "", false}, {"", "en_US.UTF-8", false}, {"C", "en_US.UTF-8", true}, {"C.utf8", "C", false}} {
		t.Setenv("LC_ALL", c.all)
		t.Setenv("LC_CTYPE", "")
		t.Setenv("LANG", c.lang)
		require.Equal(t, c.want, asciiOnly(), "%+v", c)
	}
}
