package golang

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const source = `package main

func none() {
}
func double(n int) int {
	return n * 2
}
func (t *T) Get(n int) *T { return t }
func two() (int, error) {
	f := func(s string) (ok bool) {
		return s != ""
	}
	var g func(int) string
	return 1, nil
}
func named() (a, b int, err error) {
	return
}
func wide() (map[string][]int, struct{ x int }, pkg.T) {
	type inner interface{ M() }
	return nil
}
func generic[K any](k K) K {
	return k
}
func slice() (list []byte, f func(int) (int, error)) {
	return nil
}
`

func TestResults(t *testing.T) {
	for line, want := range map[int][]string{
		3: nil, 6: {"int"}, 8: {"*T"}, 9: {"int", "error"}, 11: {"bool"}, 13: {"int", "error"},
		17: {"int", "int", "error"}, 20: {"map[string][]int", "struct{x int;}", "pkg.T"},
		27: {"[]byte", "func(int)(int,error)"},
	} {
		got, ok := Results([]byte(source), line)
		if line == 20 { // the scanner adds no semicolon before a brace on the same line
			want[1] = "struct{x int}"
		}
		require.True(t, ok, line)
		require.Equal(t, want, got, "line %d", line)
	}
	for _, line := range []int{1, 24, 99} {
		_, ok := Results([]byte(source), line)
		require.False(t, ok, line)
	}
	_, ok := Results([]byte("package x\nfunc broken( {"), 2)
	require.False(t, ok)
}

func TestRegisters(t *testing.T) {
	require.Equal(t, []Returned{
		{"int", []string{"RAX"}}, {"string", []string{"RBX", "RCX"}}, {"float64", []string{"XMM0"}},
		{"[]byte", []string{"RDI", "RSI", "R8"}}, {"error", []string{"R9", "R10"}},
		{"T", nil}, {"int", nil},
	}, Registers([]string{"int", "string", "float64", "[]byte", "error", "T", "int"}))
	require.Empty(t, Registers(nil))
}

func TestScalars(t *testing.T) {
	for _, test := range []struct {
		typ  string
		n    uint64
		want string
		ok   bool
	}{
		{"int", 1<<64 - 5, "-5", true}, {"int8", 0xff80, "-128", true}, {"uint8", 0xabff, "255", true},
		{"bool", 0xff01, "true", true}, {"bool", 0xff00, "false", true}, {"uint64", 1<<64 - 1, "18446744073709551615", true},
		{"*T", 0, "nil", true}, {"*T", 0xc0, "0xc0", true}, {"map[string]int", 0xc0, "", false}, {"error", 0, "nil", true},
		{"rune", 65, "65", true},
	} {
		got, ok := Scalar(test.typ, test.n)
		require.Equal(t, test.ok, ok, test.typ)
		require.Equal(t, test.want, got, test.typ)
	}
	n, ok := Integer("4829309 = 0x49b07d")
	require.True(t, ok)
	require.EqualValues(t, 4829309, n)
	_, ok = Integer("nosuch")
	require.False(t, ok)
	require.Equal(t, "ab", Bytes("[2]uint8 [97,98]"))
	require.Empty(t, Bytes("x"))
	text, ok := Float(`"000000000000f43f0000000000000000"`, false)
	require.True(t, ok)
	require.Equal(t, "1.25", text)
	text, _ = Float(`"0000a03f000000000000000000000000"`, true)
	require.Equal(t, "1.25", text)
	_, ok = Float("x", false)
	require.False(t, ok)
}
