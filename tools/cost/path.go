package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// step is one call of a path. Where it says so, it is left out.
type step struct {
	tool    string
	args    map[string]any
	running bool // only when the program still runs, which a model sees in the answer before
	bare    bool // only when the answer before has a stop without its locals: a slow debugger, a recording
}

// line is an argument: the number of the line with this text, as a model reads it in the source.
type line string

// found is an argument: what this expression matches in the answers before.
type found string

// task is a question about a program with a known answer, and the paths that lead to it.
type task struct {
	name, language string
	question       string
	source         string // the file that a model has read
	program        string // what is launched
	transcript     string // the recording that is played instead
	answer         string // a regular expression of what the answers must say
	before, after  []step
}

// result is what a path has cost.
type result struct {
	calls, bytes int
	kinds        map[string]int
}

var kinds = map[string]string{
	"debug_launch": "start", "debug_continue": "run", "debug_step": "run", "breakpoint_wait": "run", "debug_run_to": "run",
	"breakpoint_set": "breakpoints", "breakpoint_set_exception": "breakpoints", "tracepoint_set": "breakpoints",
	"events_query": "events", "variables_get": "values", "evaluate": "values", "exception_get_context": "values",
	"threads_list": "stacks", "stacktrace_get": "stacks",
}

// walk goes a path on a server and checks that a model could have gone it, and that the answer is there.
func walk(binary string, t task, path []step, verbose bool) (result, error) {
	r := result{kinds: map[string]int{}}
	source, err := os.ReadFile(t.source)
	if err != nil {
		return r, err
	}
	var flags []string
	if t.transcript != "" {
		flags = []string{"--backend", "replay", "--transcript", t.transcript}
	}
	c, err := dial(binary, filepath.Dir(t.source), flags...)
	if err != nil {
		return r, err
	}
	defer c.close()
	known := strings.Join([]string{t.question, t.source, t.program, string(source), c.instructions, c.tools}, "\n")
	read, last := "", ""
	for _, s := range path {
		if s.running && (strings.Contains(last, `"stop":`) || !strings.Contains(last, `"state":"running"`)) {
			continue
		}
		if s.bare && (strings.Contains(last, `"locals":`) || !strings.Contains(last, `"stop":`)) {
			continue
		}
		args, err := resolve(s.args, string(source), known+read)
		if err != nil {
			return r, fmt.Errorf("%s: %w", s.tool, err)
		}
		a, err := c.call(s.tool, args)
		if err != nil {
			return r, err
		}
		if a.failed {
			return r, fmt.Errorf("%s %v: %s", s.tool, args, a.text)
		}
		if verbose {
			fmt.Printf("  %5d %s %s\n        %s\n", len(a.text), s.tool, text(args), a.text)
		}
		r.calls++
		r.bytes += len(a.text)
		r.kinds[kinds[s.tool]] += len(a.text)
		last, read = a.text, read+"\n"+a.text
	}
	if !regexp.MustCompile(t.answer).MatchString(read) {
		return r, fmt.Errorf("the answer %s is not in what was read: %s", t.answer, read)
	}
	return r, nil
}

// word is a name in an argument.
var word = regexp.MustCompile(`[A-Za-z_]\w{2,}`)

// resolve fills the arguments, and refuses names and numbers that a model could not know.
func resolve(given map[string]any, source, known string) (map[string]any, error) {
	args := map[string]any{}
	for name, value := range given {
		switch v := value.(type) {
		case []map[string]any:
			list := make([]map[string]any, len(v))
			for i, one := range v {
				var err error
				if list[i], err = resolve(one, source, known); err != nil {
					return nil, err
				}
			}
			value = list
		case line:
			at := strings.Index(source, string(v))
			if at < 0 {
				return nil, fmt.Errorf("no line has %q", v)
			}
			value = strings.Count(source[:at], "\n") + 1
		case found:
			m := regexp.MustCompile(string(v)).FindStringSubmatch(known)
			if m == nil {
				return nil, fmt.Errorf("nothing that was read matches %s", v)
			}
			value = json.Number(m[1])
		case string:
			for _, w := range word.FindAllString(v, -1) {
				if !strings.Contains(known, w) {
					return nil, fmt.Errorf("%s: nobody has told of %s", name, w)
				}
			}
		}
		args[name] = value
	}
	return args, nil
}

// text is an argument as JSON.
func text(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}
