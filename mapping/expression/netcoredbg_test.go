package expression

import (
	"strings"
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
		assert.Equal(t, want, plane0(text))
	}
}

// netcoredbg treats null as "": nullText == "" is true there.
func TestNullTexts(t *testing.T) {
	for text, want := range map[string]string{
		`name == ""`:                          `(name ?? "-") == ""`,
		`"" != a.b[0].c(x == 1)`:              `"" != (a.b[0].c(x == 1) ?? "-")`,
		`i > 3 && name == "" || a.b?.c != ""`: `i > 3 && (name ?? "-") == "" || (a.b?.c ?? "-") != ""`,
		`f(name == "", x["" == y])`:           `f((name ?? "-") == "", x["" == (y ?? "-")])`,
		`name == "" ? a == "" : "" == c`:      `(name ?? "-") == "" ? (a ?? "-") == "" : "" == (c ?? "-")`,
		`dict[""] == ""`:                      `(dict[""] ?? "-") == ""`,
		`(a ?? b).c == ""`:                    `((a ?? b).c ?? "-") == ""`,
		`!(name == "")`:                       `!((name ?? "-") == "")`,
		`(name) == "" && @"" != ((a).b)`:      `((name) ?? "-") == "" && @"" != (((a).b) ?? "-")`,
		`(name) + a == ""`:                    `(name) + a == ""`,
		`"" == (name) + a`:                    `"" == (name) + a`,
		`!(name) == ""`:                       `!(name) == ""`,
		`"" == (string)name`:                  `"" == (string)name`,
		`) == "" == (`:                        `) == "" == (`,
		`a + b == ""`:                         `a + b == ""`, // a concatenated text is not null
		`name == "" + b`:                      `name == "" + b`,
		`(string)x == ""`:                     `(string)x == ""`,
		`null == ""`:                          `null == ""`,
		`name == "x"`:                         `name == "x"`,
		`name = ""`:                           `name = ""`,
		`"name == \"\""`:                      `"name == \"\""`,
	} {
		assert.Equal(t, want, nullTexts(text), text)
	}
}

func TestForNetcoredbg(t *testing.T) {
	for text, want := range map[string]string{
		`a.GetValueOrDefault().Name == "" && "\ufffd" != x.GetValueOrDefault(1)`: `(a.GetValueOrDefault.Name ?? "-") ` +
			`== "" && "\ufffd" != x.GetValueOrDefault`,
		`a?.GetValueOrDefault() + b.GetValueOrDefault()`:        `a?.GetValueOrDefault + b.GetValueOrDefault`,
		`a.GetValueOrDefault( )`:                                `a.GetValueOrDefault`,
		`a.GetValueOrDefault ()`:                                `a.GetValueOrDefault ()`,
		`f(a.GetValueOrDefault(b[(1)]).c, d.GetValueOrDefault(`: `f(a.GetValueOrDefault.c, d.GetValueOrDefault(`,
		`s.Contains(".GetValueOrDefault()")`:                    `s.Contains(".GetValueOrDefault()")`,
		`.GetValueOrDefault()`:                                  `.GetValueOrDefault`,
	} {
		assert.Equal(t, want, ForNetcoredbg(text), text)
	}
}

// A quadratic algorithm takes seconds here.
func BenchmarkForNetcoredbg(b *testing.B) {
	text, open := strings.Repeat(`""==a||`, maxCut/8)+"b", strings.Repeat("a.GetValueOrDefault(", MaxLength/20)
	for b.Loop() {
		ForNetcoredbg(text)
		ForNetcoredbg(open)
	}
}
