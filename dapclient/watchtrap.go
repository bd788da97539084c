package dapclient

import "sync"

// WatchTraps reports whether the processor of this machine stops a program that touches watched memory. It is nil when
// it does, and when nobody knows. On some virtual machines the registers for it can be written and have no effect, and
// debuggers do not notice. The first call tries it out with a child process.
var WatchTraps = sync.OnceValue(tryWatch)
