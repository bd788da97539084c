// Package expression reads expressions of the debugged languages, as far as a debugger has to: the closed grammars of
// expressions that only look (safe evaluation), and the tokens and member chains of C# that an evaluator fails on.
//
// It is pure: no goroutine, no I/O.
package expression

// Language of an expression.
type Language string

// Languages, as the backend profiles name them.
const (
	CSharp Language = "csharp"
	Go     Language = "go"
	Python Language = "python"
	C      Language = "c"
)

// Known tells whether the grammar of a language is known here.
func Known(l Language) bool { return l == CSharp || l == Go || l == Python || l == C }
