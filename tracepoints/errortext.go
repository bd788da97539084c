package tracepoints

import (
	"regexp"
	"strings"
	"sync"
)

// maxErrorText is how much of an error a message contains.
const maxErrorText = 200

var (
	pythonException = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z_][\w.]*(: .*)?$`)
	})
	// the number rises with each expression
	lldbExpression = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<user expression \d+>:\d+:\d+: `)
	})
	delveEvalError = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^&?\{?%!e\([\w.*]+=(.*?)\)\}?$`)
	})
)

// ErrorText shortens an adapter's error of an evaluation to the text between "<error: " and ">": one line, without
// the adapter's preamble, so that a failure reads the same with both strategies.
func ErrorText(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "Traceback (most recent call last)") {
		lines := strings.Split(text, "\n")
		for i := len(lines) - 1; i > 0; i-- {
			if line := strings.TrimRight(lines[i], "\r"); pythonException().MatchString(line) {
				text = line
				break
			}
		}
	}
	for _, prefix := range []string{"Unable to evaluate expression: ", "error: ", "Error: ", "Evaluation failed: ",
		"Uncaught "} {
		text = strings.TrimSpace(strings.TrimPrefix(text, prefix))
	}
	text = strings.TrimPrefix(text, lldbExpression().FindString(text))
	if line, _, more := strings.Cut(text, "\n"); more {
		text = strings.TrimSpace(line)
	}
	if text == "" {
		text = "no reason given"
	}
	return cut(text, maxErrorText, "…")
}
