// Package dotnet holds facts about the .NET runtime that netcoredbg does not tell. The interpreter of C# is the package
// below it.
package dotnet
