package main

import (
	"maps"
	"path/filepath"
	"slices"
)

type args = map[string]any

// root is the folder with the programs.
const root = "tools/cost/programs"

// launch starts the program of a task. wait is for today's binary.
func launch(program string, more args) step {
	a := args{"program": program, "stop_at_entry": false}
	maps.Copy(a, more)
	return step{tool: "debug_launch", args: a}
}

// bare reads the values that a stop has not brought.
var bare = step{tool: "variables_get", bare: true}

// next waits for the stop that a start has not brought.
var next = step{tool: "breakpoint_wait", running: true}

func stopAt(file, text string, more args) step {
	a := args{"file": file, "line": line(text)}
	maps.Copy(a, more)
	return step{tool: "breakpoint_set", args: a}
}

func traceAt(file, text, message string) step {
	return step{tool: "tracepoint_set", args: args{"file": file, "line": line(text), "log_message": message}}
}

func look(tool string, a args) step { return step{tool: tool, args: a} }

var (
	hits  = look("events_query", args{"types": []string{"tracepoint"}})
	lines = look("events_query", args{"types": []string{"tracepoint"}, "format": "lines"})
)

// live makes the task of a program, from its steps between the start and the answer.
func live(name, language, question, source, program, answer string, set, before, after []step) task {
	if after == nil {
		after = []step{bare}
	}
	start := args{"wait": true}
	if len(set) > 0 {
		list := make([]args, len(set))
		for i, s := range set {
			list[i] = s.args
		}
		start["breakpoints"] = list
	}
	return task{
		name: name, language: language, question: question, source: source, program: program, answer: answer,
		before: slices.Concat(set, []step{launch(program, nil), next}, before),
		after:  slices.Concat([]step{launch(program, start)}, after),
	}
}

// tasks returns the twenty tasks. built has the programs of C and C++; recordings the sessions of netcoredbg.
func tasks(base, built, recordings string) []task {
	golang := func(name string) (source, program string) {
		return filepath.Join(base, root, name, "main.go"), filepath.Join(base, root, name)
	}
	python := func(name string) string { return filepath.Join(base, root, name+".py") }
	native := func(name string) (source, program string) {
		return filepath.Join(base, root, name), filepath.Join(built, name)
	}
	variables := look("variables_get", nil)
	var list []task
	add := func(t task) { list = append(list, t) }

	s, p := golang("sum")
	add(live("a wrong item", "Go", "The total is wrong: which price is negative, and of which i?", s, p, `-41`,
		[]step{stopAt(s, "// add", args{"condition": "p < 0"})}, []step{variables}, nil))
	s, p = golang("history")
	add(live("values of a loop", "Go", "Which values does seed take?", s, p, `seed=73.*seed=88`,
		[]step{traceAt(s, "// pass", "seed={seed}")}, []step{hits}, []step{lines}))
	s, p = golang("panics")
	add(live("a panic", "Go", "It panics: with which index and which offset?", s, p,
		`"offset","type":"int","value":"1"|"offset":"1"`, nil,
		[]step{look("stacktrace_get", nil),
			look("variables_get", args{"frame_index": found(`"index":(\d+),"function":"main.pick`)})},
		nil))
	s, p = golang("deadlock")
	add(live("a deadlock", "Go", "It deadlocks: where does each worker of transfer wait?", s, p,
		`main\.go"?[:,]("line":)?(9|10)\b`, nil,
		[]step{look("threads_list", nil),
			look("stacktrace_get", args{"thread_id": found(`"id":(\d+),"name":"[^"]*transfer`)}),
			look("stacktrace_get", args{"thread_id": found(`transfer.*"id":(\d+),"name":"[^"]*transfer`)})},
		[]step{look("stacktrace_get", args{"all": true})}))
	s, p = golang("workers")
	add(live("many goroutines", "Go", "Where do the goroutines wait when all is sent?", s, p, `consume`,
		[]step{stopAt(s, "// look", nil)}, []step{look("threads_list", nil)}, []step{look("threads_list", nil)}))

	f := python("orders")
	add(live("an exception", "Python", "It raises: on which line of the input?", f, f, `'cy,3o'`, nil,
		[]step{variables}, nil))
	f = python("decay")
	on := look("debug_continue", args{"wait": true})
	add(live("four passes", "Python", "Which values has level in the first four passes?", f, f, `"8"|"7"`,
		[]step{stopAt(f, "# pass", nil)}, []step{variables, on, variables, on, variables, on, variables},
		[]step{bare, on, bare, on, bare, on, bare}))
	f = python("callers")
	add(live("a caller", "Python", "Who calls ratio with a whole of 0: which title?", f, f, `harbour`,
		[]step{stopAt(f, "answer.append", args{"condition": "whole <= 0"})}, []step{variables}, nil))
	f = python("steps")
	over := look("debug_step", nil)
	add(live("three steps", "Python", "What become a, b and c of mix?", f, f, `"82"`,
		[]step{stopAt(f, "# begin", nil)}, []step{over, variables, over, variables, over, variables},
		[]step{over, bare, over, bare, over, bare}))
	f = python("depth")
	add(live("a recursion", "Python", "How deep is walk at the bottom?", f, f, `"83"`,
		[]step{stopAt(f, "# bottom", nil)}, []step{variables}, nil))

	s, p = native("crash.c")
	add(live("a crash", "C", "It crashes: which pointer is null?", s, p, `numbers`, nil, []step{variables}, nil))
	s, p = native("loop.c")
	add(live("values of a loop", "C", "Which values does state take?", s, p, `state=`,
		[]step{traceAt(s, "/* pass", "state={state}")}, []step{hits}, []step{lines}))
	s, p = native("checks.c")
	add(live("a condition", "C", "With which rate is the negative fee paid?", s, p, `-3`,
		[]step{stopAt(s, "/* paid", args{"condition": "rate < 0"})}, []step{variables}, nil))
	s, p = native("thrower.cpp")
	add(live("an exception", "C++", "It throws: with which amount?", s, p, `"amount":"92"|"amount",[^}]*"92"`, nil,
		[]step{look("exception_get_context", nil)}, nil))
	s, p = native("templates.cpp")
	add(live("long names", "C++", "With which wanted is inner called?", s, p, `"13"`,
		[]step{stopAt(s, "// count", nil)}, []step{variables}, nil))

	dotnet := func(name, app, recording, question, answer string, more args, set, before, after []step) {
		source := filepath.Join(base, "fixtures/programs/dotnet", app, "Program.cs")
		program := "/src/" + app + "/" + app + ".dll"
		t := live(name, "C#", question, source, program, answer, set, before, after)
		for _, path := range [][]step{t.before, t.after} {
			for i := range path {
				if path[i].tool == "debug_launch" {
					maps.Copy(path[i].args, more)
				}
			}
		}
		t.transcript = filepath.Join(recordings, recording+".jsonl")
		add(t)
	}
	file := func(app string) string { return filepath.Join(base, "fixtures/programs/dotnet", app, "Program.cs") }
	stacks := look("stacktrace_get", nil)
	dotnet("a recursion", "DeepApp", "deep-stack", "How deep is Down at the bottom?", `1999|2000|2003`, nil,
		[]step{stopAt(file("DeepApp"), "return answer", nil)}, []step{stacks}, []step{stacks})
	dotnet("an exception", "ThrowApp", "tour-exceptions", "Which code has Thrower at the first one?",
		`"code":"17"|"code","type":"int","value":"17"`, nil,
		[]step{look("breakpoint_set_exception", args{"exception_type": "*"})}, []step{variables}, nil)
	dotnet("three passes", "LoopApp", "tour-loop", "Which i and sum has Main in the first three passes?", `"2"`,
		args{"args": []string{"30"}}, []step{stopAt(file("LoopApp"), "int w =", nil)},
		[]step{variables, on, variables, on, variables}, []step{bare, on, bare, on, bare})
	dotnet("an argument", "LoopApp", "tour-loop", "Which n has Main?", `"n","type":"int","value":"30"|"n":"30"`,
		args{"args": []string{"30"}}, []step{stopAt(file("LoopApp"), "int w =", nil)}, []step{variables}, nil)
	dotnet("threads", "ThrowApp", "exceptions", "Which exceptions are thrown, from where?", `ThrowApp`, nil,
		[]step{look("breakpoint_set_exception", args{"exception_type": "*"})},
		[]step{stacks, look("threads_list", nil)}, []step{look("stacktrace_get", args{"all": true})})
	return list
}
