package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// There are five tasks in each of four languages. Their sources exist, and the lines that their paths name are there.
func TestTasks(t *testing.T) {
	count := map[string]int{}
	for _, task := range tasks("../..", t.TempDir(), "../../fixtures/transcripts/netcoredbg") {
		language := strings.TrimSuffix(task.language, "++")
		count[language]++
		source, err := os.ReadFile(task.source)
		if err != nil {
			t.Fatal(err)
		}
		if task.transcript != "" {
			if _, err := os.Stat(task.transcript); err != nil {
				t.Error(err)
			}
		}
		regexp.MustCompile(task.answer)
		calls := 0
		for _, s := range task.after {
			if !s.bare {
				calls++
			}
		}
		if calls > len(task.before) {
			t.Errorf("%s, %s: the path has become longer", task.language, task.name)
		}
		for _, s := range append(task.before, task.after...) {
			if kinds[s.tool] == "" {
				t.Errorf("%s has no kind", s.tool)
			}
			if at, ok := s.args["line"].(line); ok && strings.Count(string(source), string(at)) != 1 {
				t.Errorf("%s: %q is not in one line", task.source, at)
			}
		}
	}
	for _, language := range []string{"Go", "Python", "C", "C#"} {
		if count[language] != 5 {
			t.Errorf("%d tasks in %s", count[language], language)
		}
	}
}

// A path may not use what nobody has told.
func TestResolve(t *testing.T) {
	const source, known = "a\nb // mark\n", `question about total {"id":17,"name":"main.worker"}`
	for _, tc := range []struct {
		given any
		want  string // "" is a refusal
	}{
		{line("// mark"), "2"},
		{line("// nowhere"), ""},
		{found(`"id":(\d+)`), "17"},
		{found(`"frame":(\d+)`), ""},
		{"total", "total"},
		{"secret", ""},
		{3, "3"},
	} {
		got, err := resolve(args{"x": tc.given}, source, known)
		if (err == nil) != (tc.want != "") {
			t.Errorf("%v: %v", tc.given, err)
		} else if err == nil && strings.TrimSpace(strings.Trim(text(got["x"]), `"`)) != tc.want {
			t.Errorf("%v: got %v, want %s", tc.given, got["x"], tc.want)
		}
	}
}
