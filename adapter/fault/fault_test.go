package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAsError(t *testing.T) {
	own := Errorf(NotPaused, "thread %d runs", 7).With("threadId", 7)
	for _, tc := range []struct {
		name string
		in   error
		code Code
		text string
	}{
		{"own", own, NotPaused, "thread 7 runs"},
		{"own, wrapped", fmt.Errorf("read stack: %w", own), NotPaused, "thread 7 runs"},
		{"cancelled", fmt.Errorf("wait: %w", context.Canceled), Cancelled, "the call was cancelled before it ended"},
		{"deadline", context.DeadlineExceeded, Timeout, "context deadline exceeded"},
		{"unknown", io.ErrUnexpectedEOF, Internal, "unexpected EOF"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := AsError(tc.in)
			assert.Equal(t, tc.code, e.Code)
			assert.Equal(t, tc.text, e.Message)
			assert.Equal(t, tc.code, CodeOf(tc.in))
		})
	}
	assert.Nil(t, AsError(nil))
	assert.Equal(t, Code(""), CodeOf(nil))
}

func TestErrorWrapsAndMatches(t *testing.T) {
	err := Errorf(BackendExited, "read frame: %w", io.EOF)
	assert.ErrorIs(t, err, io.EOF)
	assert.ErrorIs(t, fmt.Errorf("launch: %w", err), &Error{Code: BackendExited})
	assert.False(t, errors.Is(err, &Error{Code: BackendBusy}))
	assert.Equal(t, "BACKEND_EXITED: read frame: EOF", err.Error())
}
