package adapter

import (
	"breakwire/adapter/fault"
	"breakwire/adapter/inspect"
	"breakwire/dapclient"
	"context"
	"errors"
	"strings"
	"time"
)

// backendError turns the error of a request into an error for the client.
func backendError(err error, what string, s *Session) *fault.Error {
	var e *fault.Error
	var failed *dapclient.ResponseError
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, dapclient.ErrClosed):
		select {
		case <-s.life.ended:
			return s.died()
		case <-time.After(time.Second):
			return fault.Errorf(fault.BackendExited, "%s: the debugger is gone", what).With("sessionId", s.id)
		}
	case errors.Is(err, dapclient.ErrDeadline):
		if gone := s.goneError(what); gone != nil {
			return gone
		}
		if busy := s.busy(); busy != nil {
			return busy
		}
		return fault.Errorf(fault.Timeout, "%s: %s did not answer in time", what, s.profile.Name).With("sessionId", s.id)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.Errorf(fault.Cancelled, "%s: the call was cancelled", what)
	case errors.As(err, &failed):
		if gone := s.goneError(what); gone != nil {
			return gone.With("backendMessage", failed.Reason())
		}
		code := fault.Internal
		if strings.Contains(strings.ToLower(failed.Reason()), "operation was cancel") {
			code = fault.Cancelled
		}
		if s.notRecorded(failed) {
			return s.refusedByReplay(failed, what)
		}
		return fault.Errorf(code, "%s: %s", what, inspect.Explained(err)).
			With("backendMessage", failed.Reason()).With("command", failed.Command).With("sessionId", s.id)
	}
	return fault.Errorf(fault.Internal, "%s: %v", what, err)
}
