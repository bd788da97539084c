package portablepdb

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/fixtures"
)

// span returns the lines from one to another.
func span(from, to int) (lines []int) {
	for i := from; i <= to; i++ {
		lines = append(lines, i)
	}
	return lines
}

// programs are the fixtures, all built for debugging, so that braces have code too, with the lines that have code.
var programs = []struct {
	name  string
	lines []int
}{
	{"AsyncApp", slices.Concat(span(6, 10), span(12, 21))},
	{"DeepApp", slices.Concat(span(5, 9), span(11, 14), span(16, 19))},
	{"EchoApp", slices.Concat(span(5, 6), span(8, 16))}, // 7 is a declaration without a value
	{"FloodApp", span(5, 11)},
	{"KindsApp", slices.Concat([]int{14, 16, 22}, span(29, 32), []int{38, 43}, span(49, 56), span(61, 63), span(66, 69),
		[]int{74}, span(77, 145), []int{149}, span(152, 156), span(159, 166), []int{169, 170}, span(172, 175),
		[]int{177, 182})},
	{"LongApp", slices.Concat([]int{6}, span(11, 15), span(18, 29))}, // 6: a field's initializer
	{"LoopApp", slices.Concat(span(8, 12), span(15, 28))},
	{"NamesApp", slices.Concat([]int{13}, span(16, 18), span(21, 23), span(26, 29), span(34, 36), span(44, 47),
		span(52, 54), span(58, 60), span(66, 69), span(72, 74), span(77, 81), []int{84}, span(86, 88), span(90, 102))},
	{"ThreadsApp", slices.Concat([]int{15, 16, 23, 24, 25, 26, 28, 29, 30, 35, 36, 41, 42, 44}, span(47, 53),
		span(56, 70), span(73, 109))},
	{"ThrowApp", slices.Concat(span(10, 11), span(15, 17), span(20, 21), span(23, 35))},
	{"WaitApp", slices.Concat(span(9, 10), span(13, 22), span(25, 34), span(37, 45))},
	{"ValuesApp", slices.Concat(span(12, 14), span(19, 22), span(27, 30), span(35, 36), []int{41}, span(44, 55),
		span(58, 62), span(65, 75), span(78, 79), span(81, 82), []int{84, 88, 90}, span(93, 99), span(102, 103),
		span(105, 109), []int{111})},
}

func TestPrograms(t *testing.T) {
	for _, program := range programs {
		t.Run(program.name, func(t *testing.T) {
			dll := fixtures.Program("dotnet", program.name, "bin", program.name+".dll")
			pdb, err := FromModule(dll)
			require.NoError(t, err)

			source, err := os.ReadFile(fixtures.Program("dotnet", program.name, "Program.cs"))
			require.NoError(t, err)
			path := "/src/" + program.name + "/Program.cs"
			document := Document{Path: path, Language: "C#", HashAlgorithm: "SHA-256"}
			sum := sha256.Sum256(source)
			document.Hash = hex.EncodeToString(sum[:])
			if program.name == "NamesApp" { // compiled by another driver of the compiler
				sum := sha1.Sum(source)
				document.HashAlgorithm, document.Hash = "SHA-1", hex.EncodeToString(sum[:])
			}
			require.Equal(t, []Document{document}, pdb.Documents()[:1]) // a compiler's driver may add one of its own
			require.Equal(t, program.lines, pdb.Lines(path))

			data, err := os.ReadFile(strings.TrimSuffix(dll, ".dll") + ".pdb")
			require.NoError(t, err)
			again, err := Read(data)
			require.NoError(t, err)
			require.Equal(t, pdb, again)
		})
	}
}

// The method that starts an async method has no statements; what the compiler made of its body has.
func TestHasCode(t *testing.T) {
	pdb, err := FromModule(fixtures.Program("dotnet", "AsyncApp", "bin", "AsyncApp.dll"))
	require.NoError(t, err)
	var code []int // the methods are Inner, Main, <Main>, and three of the class of each
	for method := range 9 {
		if pdb.HasCode(method) {
			code = append(code, method)
		}
	}
	require.Equal(t, []int{4, 7}, code, "MoveNext of Inner and of Main")
	require.False(t, pdb.HasCode(-1))
	require.False(t, pdb.HasCode(100))
}

func TestProgramsAreOfOneBuildEach(t *testing.T) {
	seen := map[ID]string{}
	for _, program := range programs {
		pdb, err := FromModule(fixtures.Program("dotnet", program.name, "bin", program.name+".dll"))
		require.NoError(t, err)
		require.Empty(t, seen[pdb.ID()])
		require.Len(t, pdb.ID().String(), 40)
		seen[pdb.ID()] = program.name
	}
	require.Len(t, seen, len(fixtures.Glob("fixtures/programs/dotnet/*/bin")), "each program has its lines in this test")
}

func TestNearestLine(t *testing.T) {
	pdb, err := FromModule(fixtures.Program("dotnet", "LoopApp", "bin", "LoopApp.dll"))
	require.NoError(t, err)
	for _, test := range []struct {
		name       string
		line, want int
	}{
		{"far before", -1 << 31, 8},
		{"using", 1, 8},
		{"itself", 10, 10},
		{"the next method", 13, 15},
		{"last", 28, 28},
		{"behind all", 29, 28},
		{"far behind", 1<<31 - 1, 28},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := pdb.NearestLine("/src/LoopApp/Program.cs", test.line)
			require.True(t, ok)
			require.Equal(t, test.want, got)
		})
	}
	_, ok := pdb.NearestLine("/src/LoopApp/program.cs", 10)
	require.False(t, ok, "paths are compared as they are")
	require.Nil(t, pdb.Lines("Program.cs"))
}

func TestAnswersAreCopies(t *testing.T) {
	pdb, err := FromModule(fixtures.Program("dotnet", "LoopApp", "bin", "LoopApp.dll"))
	require.NoError(t, err)
	path := pdb.Documents()[0].Path
	pdb.Documents()[0].Path = "other"
	pdb.Lines(path)[0] = 1000
	require.Equal(t, path, pdb.Documents()[0].Path)
	require.Equal(t, 8, pdb.Lines(path)[0])
}
