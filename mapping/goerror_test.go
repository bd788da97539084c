package mapping

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGoErrorText(t *testing.T) {
	for value, want := range map[string]string{
		`*fmt.wrapError {msg: "outer: {a \"b\"}", err: error(*main.own) *{code: 9}}`: `"outer: {a \"b\"}"`,
		`*fmt.wrapErrors {msg: "two", errs: []error len: 2, cap: 2, [...,...]}`:      `"two"`,
		`*errors.errorString {s: "plain"}`:                                           `"plain"`,
		`*errors.errorString {s: "cut...+100 more"}`:                                 `"cut...+100 more"`,
		`runtime.boundsError {x: 5, y: 1, signed: true, code: BoundsIndex (0)}`: `"index out of range [5] with ` +
			`length 1"`,
		`runtime.boundsError {x: 5, y: 1, signed: true, code: BoundsSliceB (2)}`: `runtime.boundsError {x: 5, y: 1, ` +
			`signed: true, code: BoundsSliceB (2)}`,
		`*main.own {msg: "mine"}`: `*main.own {msg: "mine"}`,
		`"boom"`:                  `"boom"`,
		`42`:                      `42`,
		``:                        ``,
	} {
		assert.Equal(t, want, GoErrorText(value), value)
	}
}
