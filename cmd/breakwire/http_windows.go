package main

import "io/fs"

// The mode of a file says nothing about other users here; the folders of a user are private by their access lists.

func strange(fs.FileInfo) bool     { return false }
func othersWrite(fs.FileInfo) bool { return false }
func othersRead(fs.FileInfo) bool  { return false }
