package jsdebug

import "errors"

// wake fails: Windows has no signal for it.
func wake(int) error { return errors.New("Windows has no signal that does it") }
