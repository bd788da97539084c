package expression

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPlane0(t *testing.T) {
	for text, want := range map[string]string{
		`name == "😀"`:       `name == "😀"`,
		`😀`:                 "\ufffd",
		`x😀 == '☃'`:         "x\ufffd == '☃'",
		`@"a""😀" + 😀 + "😀"`: "@\"a\"\"😀\" + \ufffd + \"😀\"",
		`$"{😀}"`:            "$\"{\ufffd}\"",
		`"😀`:                "\"\ufffd",
		"plain":             "plain",
	} {
		assert.Equal(t, want, Plane0(text))
	}
}
