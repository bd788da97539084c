package inspect

import (
	"context"
	"errors"
	"testing"
	"time"

	"breakwire/dapclient"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"
)

// Early answers are used once, at their stop and in their order. Any other question drops those that are left.
func TestEarlyAnswers(t *testing.T) {
	scopes, variables := dap.ScopesArguments{FrameId: 7}, dap.VariablesArguments{VariablesReference: 8}
	type question struct {
		epoch   uint64
		command string
		args    any
		early   bool
	}
	for name, questions := range map[string][]question{
		"both": {{5, "scopes", scopes, true}, {5, "variables", variables, true}, {5, "scopes", scopes, false}},
		"another frame": {
			{5, "scopes", dap.ScopesArguments{FrameId: 9}, false}, {5, "scopes", scopes, false},
			{5, "variables", variables, false},
		},
		"another reference": {
			{5, "scopes", scopes, true}, {5, "variables", dap.VariablesArguments{VariablesReference: 9}, false},
			{5, "variables", variables, false},
		},
		"variables without the scopes": {{5, "variables", variables, false}, {5, "scopes", scopes, false}},
		"another stop":                 {{6, "scopes", scopes, false}, {5, "scopes", scopes, false}},
		"arguments as JSON":            {{5, "scopes", map[string]int{"frameId": 7}, false}},
	} {
		t.Run(name, func(t *testing.T) {
			var c Cache
			require.Nil(t, c.EarlyLocals(), "no ids are known")
			c.locals.rememberIDs(localsIDs{7, 8})
			require.Nil(t, c.EarlyLocals(), "nobody knows whether they stay the same")
			c.locals.rememberIDs(localsIDs{7, 8})
			c.PutEarly(5, c.EarlyLocals())
			for _, q := range questions {
				require.Equal(t, q.early, c.early.take(q.epoch, q.command, q.args) != nil, "%v", q)
			}
		})
	}
	var c Cache
	c.locals.rememberIDs(localsIDs{7, 8})
	c.locals.rememberIDs(localsIDs{7, 8})
	c.PutEarly(5, c.EarlyLocals())
	c.forget()
	require.Nil(t, c.early.take(5, "scopes", scopes), "values may have changed")
}

// A reader waits for an early answer no longer than for one of its own.
func TestEarlyAnswerIsAwaited(t *testing.T) {
	e := &Early{Command: "scopes", over: make(chan struct{})}
	_, err := e.wait(t.Context(), time.Nanosecond)
	require.ErrorIs(t, err, dapclient.ErrDeadline)
	gone := errors.New("resumed")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	_, err = e.wait(ctx, time.Hour)
	require.ErrorIs(t, err, gone)
	go e.Answer(&dapclient.Message{Success: true, Name: "scopes"}, nil)
	m, err := e.wait(t.Context(), time.Hour)
	require.NoError(t, err)
	require.Equal(t, "scopes", m.Name)
}
