// Package timeline makes one list of what happened out of a recording of a debug adapter: stops and how long they
// lasted, hits that were answered at once, output, breakpoints, threads, modules, failures, and the values that
// expressions had over the hits of a line. It is what `breakwire view` shows.
//
// The recording is read once, from the beginning to the end. A message that is no DAP, an answer without a question and
// a stop that never ends are taken as they are: a recording of a crash is the one that somebody wants to look at.
// Nothing here starts a goroutine or reads anything but the reader it is given; a Timeline is plain data, and no value
// in it is to be trusted: all of it is text from the program that was debugged.
package timeline
