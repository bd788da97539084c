package mapping

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExplain(t *testing.T) {
	tests := []struct {
		name, in, contains, code string
	}{
		{"not stopped", "Failed command 'stackTrace' : 0x80131302", "not stopped", "0x80131302"},
		{"bare", "0x80004001", "does not implement", "0x80004001"},
		{"upper case", "error: 0X80070057", "Invalid argument", "0x80070057"},
		{"upper case digits", "0x80131C3C", "different architectures", "0x80131c3c"},
		{"unspecified", "0x80004005", "without saying why", "0x80004005"},
		{"dotnet missing", "Failed command 'configurationDone' : 0x80070002", "`dotnet`", "0x80070002"},
		{"access", "0x80070005", "Access denied", "0x80070005"},
		{"environment", "0x8007000c", "environment", "0x8007000c"},
		{"thread", "0x80131309", "This thread cannot step", "0x80131309"},
		{"interface", "(0x80004002)", "dbgshim", "0x80004002"},
		{"ended", "0x80131301", "ended", "0x80131301"},
		{"optimized", "0x80131304", "Debug build", "0x80131304"},
		{"attached twice", "0x8013132e", "already attached", "0x8013132e"},
		{"architecture of a file", "0x800700c1", "not a program for this machine", "0x800700c1"},
		{"the first known of several", "0x80ffffff then 0x80131302, 0x80004005", "not stopped", "0x80131302"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			message, code, ok := Explain(tt.in)
			assert.True(t, ok)
			assert.Contains(t, message, tt.contains)
			assert.Equal(t, tt.code, code)
		})
	}
	for _, in := range []string{"", "all is well", "0x80ffffff", "0x8013130", "0x801313020", "address 0x7fff80131302",
		"80131302"} {
		_, _, ok := Explain(in)
		assert.False(t, ok, in)
	}
}
