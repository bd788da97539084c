//go:build !unix

package doctor

func coresAllowed() bool { return true }
