package adapter

import "os/exec"

// endWithGroup leaves the command as it is: what it started keeps nothing of ours.
func endWithGroup(*exec.Cmd) {}
