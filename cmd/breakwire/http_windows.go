package main

import "io/fs"

// On Windows the mode of a file says nothing about other users; access lists make a user's folders private.

func strange(fs.FileInfo) bool     { return false }
func othersWrite(fs.FileInfo) bool { return false }
func othersRead(fs.FileInfo) bool  { return false }
