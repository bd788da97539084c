// Package expression parses expressions of the debugged languages, as far as a debugger needs: closed grammars of
// expressions without effects (safe evaluation), and the tokens and member chains of C# on which an evaluator fails.
//
// It has no state, starts no goroutine and does no I/O.
package expression

// Language of an expression.
type Language string

// Languages, with the names that the backend profiles use.
const (
	CSharp Language = "csharp"
	Go     Language = "go"
	Python Language = "python"
	C      Language = "c"
	// JavaScript is also TypeScript.
	JavaScript Language = "javascript"
)

// Known reports whether this package has the grammar of a language.
func Known(l Language) bool {
	return l == CSharp || l == Go || l == Python || l == C || l == JavaScript
}
