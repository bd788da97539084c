package adapter

import (
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"

	"breakwire/adapter/inspect"
	"breakwire/dapclient"
)

func TestNameNow(t *testing.T) {
	delve, other := &Session{profile: &dapclient.Profile{GoScheduler: true}}, &Session{profile: &dapclient.Profile{}}
	in := func(function string) *dap.StackFrame { return &dap.StackFrame{Name: function} }
	for _, tt := range []struct {
		s    *Session
		name string
		at   *dap.StackFrame
		want string
	}{
		{delve, "[Go 1] main.Work", in("main.main"), "[Go 1] main.main"},
		{delve, "[Go 17] main.Work (Thread 9)", in("main.(*T).Do$1"), "[Go 17] main.(*T).Do$1 (Thread 9)"},
		{delve, "[Go 1] main.Work", nil, "[Go 1] main.Work"},
		{delve, "[Go 1] main.Work", in(""), "[Go 1] main.Work"},
		{delve, "Dummy", in("main.main"), "Dummy"},
		{other, "[Go 1] main.Work", in("main.main"), "[Go 1] main.Work"},
	} {
		assert.Equal(t, tt.want, tt.s.nameNow(tt.name, tt.at))
	}
}

// A thread is refused only when the debugger's list shows that it does not exist.
func TestUnknownThreadOfAList(t *testing.T) {
	list := func(n int) (threads []dap.Thread) {
		for i := range n {
			threads = append(threads, dap.Thread{Id: i + 1})
		}
		return threads
	}
	assert.Nil(t, inspect.UnknownThread(2, list(3)))
	assert.Nil(t, inspect.UnknownThread(7, nil), "no list")
	assert.Nil(t, inspect.UnknownThread(4711, list(1024)), "Delve lists no more")
	assert.Equal(t, "there is no thread 7; there are 1, 2, 3 (threads_list shows them)",
		inspect.UnknownThread(7, list(3)).Message)
	assert.Contains(t, inspect.UnknownThread(0x7fff, list(500)).Message, "19, 20, ... (")
}
