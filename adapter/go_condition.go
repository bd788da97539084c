package adapter

import (
	"errors"
	"go/parser"
	"go/scanner"
	"strings"

	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/dapclient"
)

// Delve takes any text as a condition and refuses it at the first hit. So Go's parser reads it before it is sent.

// checkCondition refuses a condition that is no expression of Go. The condition of a function breakpoint is one where
// each live session that it concerns is of a Go program.
func (m *Manager) checkCondition(spec breakpoint.Spec) error {
	if spec.Condition == "" || !m.isGo(spec) {
		return nil
	}
	text := strings.TrimSpace(spec.Condition)
	front := len(spec.Condition) - len(strings.TrimLeft(spec.Condition, " \t\r\n"))
	if called, ok := strings.CutPrefix(text, "call "); ok {
		text, front = called, front+len("call ")
	}
	_, err := parser.ParseExpr(text)
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return nil
	}
	column := len([]rune(text[:min(list[0].Pos.Offset, len(text))])) + len([]rune(spec.Condition[:front])) + 1
	why := list[0].Msg
	if assignment().MatchString(text) {
		why += "; a condition does not assign: write == to compare"
	}
	return fault.Errorf(fault.InvalidCondition, "condition %s: column %d: %s", spec.Condition, column, why).
		With("parameter", "condition").With("expression", spec.Condition).With("column", column)
}

// isGo reports whether a breakpoint is for Go programs only.
func (m *Manager) isGo(spec breakpoint.Spec) bool {
	if spec.File != "" {
		return strings.HasSuffix(strings.ToLower(spec.File), ".go")
	}
	concerned := 0
	for _, s := range m.Sessions() {
		if s.concerns(spec) {
			if s.profile.Language != dapclient.Go {
				return false
			}
			concerned++
		}
	}
	return concerned > 0
}
