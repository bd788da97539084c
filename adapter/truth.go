package adapter

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"breakwire/dapclient"
)

// undecided begins what a breakpoint says of its condition when it could not be evaluated at the last hit.
const undecided = "the condition could not be evaluated: "

// truth decides a condition from the answer to its evaluation. A failure is
// why it could not be decided.
func (s *Session) truth(r reply) (met bool, failure string) {
	var e *Error
	switch {
	case errors.As(r.err, &e):
		return false, e.Message
	case r.err != nil:
		return false, failureName(r.err)
	}
	body := r.evaluation()
	return truthOf(s.profile.Language, body.Result, body.Type)
}

var numberText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[-+]?(0x[0-9a-fA-F]+|\d+(\.\d*)?([eE][-+]?\d+)?)`)
})

// truthOf reads a value as a condition's: the booleans of the language; in C and C++ also numbers and
// pointers, where zero is false; in Python everything that bool() takes.
func truthOf(l dapclient.Language, value, typ string) (met bool, failure string) {
	switch strings.TrimSpace(value) {
	case "true", "True":
		return true, ""
	case "false", "False":
		return false, ""
	}
	switch l {
	case dapclient.C:
		if n := numberText().FindString(value); n != "" {
			f, err := strconv.ParseFloat(n, 64)
			if err != nil {
				i, err := strconv.ParseUint(n, 0, 64)
				return i != 0 || err != nil, ""
			}
			return f != 0, ""
		}
	case dapclient.Python:
		switch value {
		case "None", "0", "0.0", "''", `""`, "[]", "{}", "()", "set()":
			return false, ""
		}
		return true, ""
	}
	what := value
	if typ != "" {
		what = typ + " " + value
	}
	return false, "the condition is not a bool but " + what
}
