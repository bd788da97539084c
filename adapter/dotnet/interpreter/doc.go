// Package interpreter evaluates C# expressions over a stopped program, as C# means them. It computes what it knows
// (numbers, texts, sequences, patterns) and asks the program for the rest by texts that the debugger can evaluate.
//
// It starts no goroutine and keeps nothing between two expressions. What it cannot compute with C#'s meaning it
// refuses (Refusal); it never guesses. Questions and elements of one expression are bounded.
package interpreter
