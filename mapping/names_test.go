package mapping

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLogicalFunction(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "LoopApp.Program.Main()", "LoopApp.Program.Main()"},
		{"async", "<Work>d__3.MoveNext", "Work"},
		{"async, as recorded", "Program.<Inner>d__0.MoveNext()", "Program.Inner()"},
		{"generic async", "App.Box<int>.<Get>d__1<string>.MoveNext()", "App.Box<int>.Get()"},
		{"generic arity", "App.<Get>d__1`1.MoveNext()", "App.Get()"},
		{"lambda", "<>c__DisplayClass1_0.<Main>b__0", "Main lambda"},
		{"lambda without closure", "LoopApp.Program.<>c.<Main>b__0_0()", "LoopApp.Program.Main() lambda"},
		{"lambda in a method of a class", "LoopApp.Program.<>c__DisplayClass1_0.<Main>b__0(int x)",
			"LoopApp.Program.Main(int x) lambda"},
		{"lambda of a generic closure", "A.<>c__DisplayClass0_0<T>.<Run>b__0()", "A.Run() lambda"},
		{"async lambda", "Program.<>c.<<Main>b__0_0>d.MoveNext()", "Program.Main() lambda"},
		{"local function", "Program.<Main>g__Add|0_1()", "Program.Main.Add()"},
		{"async local function", "Program.<<Main>g__Add|0_0>d.MoveNext()", "Program.Main.Add()"},
		{"local function with a closure", "Program.<>c__DisplayClass0_0.<Main>g__Add|0()", "Program.Main.Add()"},
		{"top-level statements", "Program.<Main>$(string[] args)", "Program.Main(string[] args)"},
		{"async top-level statements", "Program.<<Main>$>d__0.MoveNext()", "Program.Main()"},
		{"local function of top-level statements", "Program.<<Main>$>g__Add|0_0()", "Program.Main.Add()"},
		{"wrapper of async Main", "Program.<Main>()", "Program.Main()"},
		{
			"a framework frame that names one stays",
			"System.Runtime.CompilerServices.AsyncTaskMethodBuilder<int>.AsyncStateMachineBox<Program.<Inner>d__0>.MoveNext()",
			"System.Runtime.CompilerServices.AsyncTaskMethodBuilder<int>.AsyncStateMachineBox<Program.<Inner>d__0>.MoveNext()",
		},
		{"generic type", "System.Threading.Tasks.Task<int>.TrySetResult()",
			"System.Threading.Tasks.Task<int>.TrySetResult()"},
		{"a MoveNext of one's own", "App.MyEnumerator.MoveNext()", "App.MyEnumerator.MoveNext()"},
		{"Go", "main.Work", "main.Work"},
		{"Go method", "main.(*Server).Serve", "main.(*Server).Serve"},
		{"Go closure", "main.main.func1", "main.main.func1"},
		{"Python module", "<module>", "<module>"},
		{"Python module, current", "<module> (Current frame)", "<module> (Current frame)"},
		{"Python lambda", "Foo.bar.<locals>.<lambda>", "Foo.bar.<locals>.<lambda>"},
		{"Python comprehension", "<listcomp>", "<listcomp>"},
		{"C++ template", "std::vector<int, std::allocator<int>>::push_back(int const&)",
			"std::vector<int, std::allocator<int>>::push_back(int const&)"},
		{"C++ operators", "operator<(A const&, A const&)", "operator<(A const&, A const&)"},
		{"C++ arrow", "P::operator->() const", "P::operator->() const"},
		{"unbalanced", "a.<b", "a.<b"},
		{"empty", "", ""},
		{"only parentheses", ")<", ")<"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := LogicalFunction(tt.in)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, got, LogicalFunction(got), "a logical name stays")
		})
	}
}

func TestLogicalVariable(t *testing.T) {
	tests := []struct {
		in, want string
		hidden   bool
	}{
		{"x", "x", false},
		{"<x>5__2", "x", false},
		{"<Name>k__BackingField", "Name", false},
		{"<>4__this", "this", false},
		{"<>1__state", "<>1__state", true},
		{"<>t__builder", "<>t__builder", true},
		{"<>u__1", "<>u__1", true},
		{"CS$<>8__locals1", "CS$<>8__locals1", true},
		{"~r0", "~r0", false},
		{"__name__", "__name__", false},
		{"$exception", "$exception", false},
	}
	for _, tt := range tests {
		got, hidden := LogicalVariable(tt.in)
		assert.Equal(t, tt.want, got)
		assert.Equal(t, tt.hidden, hidden, tt.in)
	}
}

func FuzzLogicalFunction(f *testing.F) {
	for _, s := range []string{"A.<B>d__3.MoveNext()", "<>c.<<Main>b__0_0>d.MoveNext", "<Main>g__Add|0_1(", "<<<>>>",
		"<>c.", ")("} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) {
		LogicalFunction(s)
		LogicalVariable(s)
	})
}

func TestPublicName(t *testing.T) {
	for name, want := range map[string]string{
		"___pthread_cond_wait":         "pthread_cond_wait",
		"__GI___clock_nanosleep":       "clock_nanosleep",
		"__GI___libc_read":             "read",
		"__new_sem_wait@@GLIBC_2.34":   "sem_wait",
		"pthread_join":                 "pthread_join",
		"__aexit__":                    "__aexit__",
		"__gnu::lock(int)":             "__gnu::lock(int)",
		"System.Threading.Thread.Join": "System.Threading.Thread.Join",
	} {
		assert.Equal(t, want, PublicName(name), name)
	}
}
