package dapclient

// Forks is what a process has forked.
type Forks struct {
	Children []int // its children that run the same program, also those that have ended and that nobody waited for
	Reaped   bool  // it has waited for children that have ended
}

// ForksOf returns what a process has forked, also when it is a zombie. It is empty where the system does not say.
func ForksOf(pid int) Forks { return forksOf(pid) }

// CallsFork reports whether a program calls fork itself. It is false where that cannot be read.
func CallsFork(exe string) bool { return callsFork(exe) }
