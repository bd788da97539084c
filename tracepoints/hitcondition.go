package tracepoints

import (
	"fmt"
	"strconv"
	"strings"
)

// hitConditionForms is the advice in every error.
const hitConditionForms = "write 5, ==5, >=5, >5, <5, <=5 or %5 (every 5th hit)"

// HitCondition selects hits by their number, counted from 1. The zero HitCondition matches all.
type HitCondition struct {
	op string // "", ==, >=, >, <, <=, %
	n  uint64
}

// ParseHitCondition parses a hit condition. Spaces around operator and number are allowed, and a bare number means
// ==. The error lists the allowed forms.
func ParseHitCondition(text string) (HitCondition, error) {
	s := strings.TrimSpace(text)
	if s == "" {
		return HitCondition{}, fmt.Errorf("hit condition is empty: %s", hitConditionForms)
	}
	op := "=="
	for _, o := range []string{"==", ">=", "<=", ">", "<", "%"} { // longest first
		if strings.HasPrefix(s, o) {
			op, s = o, strings.TrimSpace(s[len(o):])
			break
		}
	}
	if s == "" || strings.TrimLeft(s, "0123456789") != "" {
		return HitCondition{}, fmt.Errorf("hit condition %q is not understood: %s", text, hitConditionForms)
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return HitCondition{}, fmt.Errorf("hit condition %q has too large a number: %s", text, hitConditionForms)
	}
	if op == "%" && n == 0 {
		return HitCondition{}, fmt.Errorf("hit condition %q divides by zero: %s", text, hitConditionForms)
	}
	return HitCondition{op: op, n: n}, nil
}

// Match reports whether the hit with this number matches.
func (h HitCondition) Match(count uint64) bool {
	switch h.op {
	case "==":
		return count == h.n
	case ">=":
		return count >= h.n
	case ">":
		return count > h.n
	case "<":
		return count < h.n
	case "<=":
		return count <= h.n
	case "%":
		return count%h.n == 0
	}
	return true
}

// IsZero reports whether there is no condition.
func (h HitCondition) IsZero() bool { return h.op == "" }

// String returns the condition in its full form, "" for none.
func (h HitCondition) String() string {
	if h.op == "" {
		return ""
	}
	return h.op + strconv.FormatUint(h.n, 10)
}
