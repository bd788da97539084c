package tracepoints

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzParseDebugpy(f *testing.F) {
	f.Add(rs + "Ttp-2" + us + `[1,"MainThread",null,[[1,"6"],[0,"NameError: x"]]]` + rs + "\n")
	f.Add(rs + "Ttp-2" + us + `[1,"MainThread","NameError",[]]` + rs + "\n")
	f.Add(rs + "Ttp-2" + us + `[null,null,null,null]` + rs + "\n")
	f.Add(rs + "Ttp-2" + us + `null` + rs)
	f.Add("hello\n")
	f.Fuzz(func(t *testing.T, s string) {
		r, ok := ParseDebugpy(s)
		if !ok {
			require.Zero(t, r)
			return
		}
		require.True(t, validID(r.ID))
		for _, v := range r.Values {
			require.True(t, v.Text == "" || v.Err == "", "%+v", v)
		}
	})
}

func FuzzParseLLDB(f *testing.F) {
	f.Add(rs + "Ttp-2" + us + "139637976727360" + us + "6" + us + "<error: error: use of undeclared identifier 'x'\n>" +
		rs + "\n")
	f.Add(rs + "Ttp-2" + us + "<error: x>" + rs)
	f.Add(rs + "T" + us + rs)
	f.Add("hello\n")
	f.Fuzz(func(t *testing.T, s string) {
		r, ok := ParseLLDB(s)
		if !ok {
			require.Zero(t, r)
			return
		}
		require.True(t, validID(r.ID))
		require.Len(t, r.Values, strings.Count(s, us)-1)
		for _, v := range r.Values {
			require.True(t, v.Text == "" || v.Err == "", "%+v", v)
		}
	})
}
