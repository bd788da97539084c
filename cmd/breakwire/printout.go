package main

import "io"

// printout is the standard output of commands that print. It keeps the first write error for run, so that no command
// has to check for it, and ends the command through its context.
type printout struct {
	to     io.Writer
	failed func() // called at the first error
	err    error
}

// Write never fails; after an error it discards the output.
func (o *printout) Write(b []byte) (int, error) {
	if o.err == nil {
		if _, o.err = o.to.Write(b); o.err != nil {
			o.failed()
		}
	}
	return len(b), nil
}

// behind returns the writer of a printout, and any other writer unchanged.
func behind(w io.Writer) io.Writer {
	if o, ok := w.(*printout); ok {
		return o.to
	}
	return w
}
