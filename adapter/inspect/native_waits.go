package inspect

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-dap"
)

// mutexCall matches the call that waits for a mutex of pthread, with its argument.
var mutexCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bpthread_mutex_(?:timed)?lock\s*\(\s*([^,;]+?)\s*[,)]\s*`)
})

// native finds the mutexes of pthread that threads wait for, and their owners, which glibc stores as thread ids.
func (w *waitsRead) native() {
	for _, id := range w.threads {
		frames := w.waiting(id)
		locks := func(f dap.StackFrame) bool {
			return strings.Contains(f.Name, "pthread_mutex_lock") || strings.Contains(f.Name, "lll_lock_wait")
		}
		if !slices.ContainsFunc(frames, locks) || w.late() {
			continue
		}
		address, owner, ok := w.mutexOf(frames[0], "(unsigned long)$rdi") // the argument of the system call, on x86-64
		if own := w.own(id); !ok && len(own) > 0 {
			lines := strings.Split(string(w.source(own[0])), "\n")
			if at := own[0].Line - 1; at >= 0 && at < len(lines) {
				if m := mutexCall().FindStringSubmatch(lines[at]); m != nil {
					address, owner, ok = w.mutexOf(own[0], "(unsigned long)("+m[1]+")")
				}
			}
		}
		if ok {
			w.found[id] = Wait{For: "pthread mutex", On: fmt.Sprintf("pthread_mutex_t at %#x", address), HeldBy: []int{owner}}
		}
	}
}

// mutexOf reads the owner of a mutex. ok is false when it is not a locked mutex of a known thread.
func (w *waitsRead) mutexOf(f dap.StackFrame, address string) (at uint64, owner int, ok bool) {
	number := func(expression string) int {
		body, err := w.evaluate(f, expression, evaluateTimeout)
		n, wrong := strconv.Atoi(body.Result)
		if err != nil || wrong != nil {
			return 0
		}
		return n
	}
	const ownerOffset = 8 // of glibc's __data.__owner, after __lock and __count
	owner = number("*(int*)(" + address + "+" + strconv.Itoa(ownerOffset) + ")")
	if !slices.Contains(w.threads, owner) {
		return 0, 0, false
	}
	at = uint64(number(address))
	return at, owner, at != 0
}
