package main

import "path"

// layer is a set of files of package adapter. Patterns are those of path.Match.
type layer struct {
	name  string
	files []string
}

// layers orders the files of package adapter from the bottom to the top. A file may use declarations of its own layer
// and of lower layers. The first matching pattern applies. A file without a match is reported and its references are
// not counted, until it is added here.
var layers = []layer{
	{"words: values without behaviour", []string{
		"doc.go", "event.go", "group.go", "location.go", "snapshot.go", "stop.go",
		"permissions.go", "tails.go", "temp*.go", "private*.go",
	}},
	{"program: what to start and how", []string{
		"attach.go", "await.go", "backend.go", "connect.go", "container.go", "javascript.go", "node_start.go",
		"probe.go", "project.go",
		"python.go", "replay.go", "tests.go",
	}},
	{"session: its goroutine, questions, output", []string{
		"session.go", "ask.go", "turn*.go", "offered.go", "output*.go", "process.go", "reads.go",
		"stdin*.go", "stderr*.go", "wait.go", "late.go",
	}},
	{"breakpoints: what the debugger holds", []string{
		"bind.go", "function_names.go", "match.go", "modules.go", "named.go", "native.go", "share.go",
		"source*.go", "spelling.go", "symbols.go", "watched.go",
	}},
	{"inspection: what inspect asks, and what clients read", []string{
		"backend_error.go", "call.go", "captures.go", "evaluation.go", "locals.go", "reading.go", "stack_reply.go",
		"thread*.go", "view.go",
	}},
	{"languages", []string{
		"dotnet_*.go", "python_*.go", "go_*.go", "cpp_*.go", "rust*.go", "scheduler.go", "forks.go",
	}},
	{"turns: stops, steps, resumes", []string{
		"batch.go", "decide*.go", "exceptions.go", "judge.go", "look.go", "message*.go", "pause*.go", "resume*.go",
		"returned*.go", "runto.go", "show.go", "speak.go", "step*.go", "stops*.go", "sweep*.go", "visible.go",
		"watch_stop.go",
	}},
	{"life: start, end", []string{"start*.go", "end*.go", "fatal.go", "release.go", "reverse.go"}},
	{"manager", []string{"manager*.go", "breakpoints.go", "live.go", "merge.go", "passes.go", "watchpoint.go"}},
}

// layerOf returns the number of a file's layer, -1 if it has none.
func layerOf(file string) int {
	for i, l := range layers {
		for _, pattern := range l.files {
			if ok, _ := path.Match(pattern, file); ok {
				return i
			}
		}
	}
	return -1
}

// reference is the use of one file's declarations by another file of the package.
type reference struct{ from, to string }

// against reports whether r goes from a lower layer to a higher one. Known is false if a file has no layer.
func (r reference) against() (up, known bool) {
	from, to := layerOf(r.from), layerOf(r.to)
	return from < to, from >= 0 && to >= 0
}
