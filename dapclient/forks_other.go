//go:build !linux

package dapclient

func forksOf(int) Forks { return Forks{} }

func callsFork(string) bool { return false }
