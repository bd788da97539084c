package program

import "os/exec"

// endWithGroup does nothing: what the command started keeps nothing of ours.
func endWithGroup(*exec.Cmd) {}
