// Package expression reads expressions of the debugged languages, as far as a debugger has to: tokens, the closed grammar
// of expressions that only look (safe evaluation), and the member chains of C# that an evaluator fails on.
//
// It is pure: no goroutine, no I/O.
package expression

// Language of an expression.
type Language string

// Languages, as the backend profiles name them.
const (
	CSharp Language = "dotnet"
	Go     Language = "go"
	Python Language = "python"
	C      Language = "c"
)
