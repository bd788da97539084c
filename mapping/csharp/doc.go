// Package csharp reads C# 12 expressions: text to a tree with positions, and a tree to text. An error says what was
// expected, what is there, and where.
//
// It has no state, starts no goroutine and does no I/O. Depth and work are bounded for any text.
package csharp
