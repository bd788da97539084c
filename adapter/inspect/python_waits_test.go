package inspect_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Threads that wait for each other, each in another form. The main thread asks until all of them wait.
const pythonLocks = `
import json, os, sys, threading, time
A, B, C, D, free = (threading.Lock() for _ in range(5))
table, met = {'c': C, 'd': D}, threading.Barrier(4)

def line():
    with A:
        met.wait()
        with B: pass

def two():
    with B:
        met.wait()
        with free, A: pass

def key(own, other):
    with table[own]:
        met.wait()
        with table[other]:
            pass

def again():
    mine = threading.Lock()
    mine.acquire()
    mine.acquire()

def condition():
    told = threading.Condition()
    with told:
        told.wait()

for name, f, args in (('line', line, ()), ('two', two, ()), ('c', key, 'cd'), ('d', key, 'dc'), ('again', again, ()),
                      ('condition', condition, ())):
    threading.Thread(target=f, args=args, name=name, daemon=True).start()
text = compile(open(sys.argv[1]).read(), 'waits', 'exec')
for _ in range(200):
    known = {'want': 'waits'}
    exec(text, known)
    answer = json.loads(known['answer'])
    if sum(t['for'].lower().startswith(('lock.', 'condition.')) for t in answer['threads']) == 6:
        break
    time.sleep(.05)
known = {'want': 'places'}
exec(text, known)
answer['places'] = json.loads(known['answer'])['threads']
print(json.dumps(answer))
sys.stdout.flush()
os._exit(0)
`

func TestPythonLocks(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	script := filepath.Join(t.TempDir(), "locks.py")
	require.NoError(t, os.WriteFile(script, []byte(pythonLocks), 0o600))
	out, err := exec.Command(python, script, "python_waits.py").Output()
	require.NoError(t, err)
	type thread struct {
		Name, For string
		HeldBy    []string
		Places    [][]any
	}
	var answer struct {
		Problem         string
		Threads, Places []thread
	}
	require.NoError(t, json.Unmarshal(out, &answer))
	require.Empty(t, answer.Problem)
	holders := map[string][]string{}
	for _, x := range answer.Threads {
		holders[x.Name] = x.HeldBy
	}
	require.Equal(t, map[string][]string{"line": {"two"}, "two": {"line"}, "c": {"d"}, "d": {"c"},
		"again": {"again"}, "condition": {}}, holders, "%s", out)
	require.Len(t, answer.Places, 6)
	for _, x := range answer.Places {
		require.Len(t, x.Places[0], 3, "%s", out)
	}
}
