package mapping

import (
	"regexp"
	"sync"
)

// goErrorText matches Delve's text of the error types of the packages errors and fmt. Its group is the message, quoted.
var goErrorText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\*(?:fmt\.wrapErrors?|errors\.errorString) \{(?:msg|s): ("(?:[^"\\]|\\.)*")`)
})

// goIndexText matches Delve's text of an index that is out of range. Its groups are the index and the length.
var goIndexText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^runtime\.boundsError \{x: (-?\d+), y: (\d+), signed: \w+, code: BoundsIndex `)
})

// GoErrorText returns the message of a Go error as its Error method would, where Delve's text of the value has it. Any
// other text stays as it is.
func GoErrorText(value string) string {
	if m := goErrorText().FindStringSubmatch(value); m != nil {
		return m[1]
	}
	if m := goIndexText().FindStringSubmatch(value); m != nil {
		return `"index out of range [` + m[1] + `] with length ` + m[2] + `"`
	}
	return value
}
