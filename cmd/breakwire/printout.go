package main

import "io"

// printout is the standard output of commands that print. The first write that fails is kept for run to tell, so that
// no command has to look, and ends the command by its context.
type printout struct {
	to     io.Writer
	failed func() // called at the failure
	err    error
}

// Write never fails: whoever prints goes on to its end, for nothing.
func (o *printout) Write(b []byte) (int, error) {
	if o.err == nil {
		if _, o.err = o.to.Write(b); o.err != nil {
			o.failed()
		}
	}
	return len(b), nil
}

// behind is what a printout writes to, and any other writer itself.
func behind(w io.Writer) io.Writer {
	if o, ok := w.(*printout); ok {
		return o.to
	}
	return w
}
