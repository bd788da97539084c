package adapter

import (
	"context"
	"errors"
	"io"
	"strings"

	"breakwire/adapter/fault"
	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
)

// Replay returns a backend that plays a recording, from its beginning for each session. It behaves as the recorded
// debugger and has its profile. Programs, processes and files of a session are not checked on this machine. wrap may
// wrap the connection, as tests do; nil does not.
func Replay(rec *transcript.Recording, opts transcript.PlayOptions,
	wrap func(io.ReadWriteCloser) io.ReadWriteCloser) Backend {
	profile := dapclient.ProfileByName(rec.Backend)
	if profile == nil {
		name := rec.Backend
		if name == "" {
			name = ReplayName
		}
		profile = dapclient.Generic(name)
	}
	return Backend{Profile: profile, Replayed: true, Open: func(context.Context, Opening) (io.ReadWriteCloser,
		*dapclient.Process, error) {
		var stream io.ReadWriteCloser = rec.Play(opts)
		if wrap != nil {
			stream = wrap(stream)
		}
		return stream, nil, nil
	}}
}

// ReplayName is the name of the backend that plays a recording.
const ReplayName = "replay"

// OnlyReplay returns the options of a manager with only a recording, which it plays whatever debugger a call asks for.
func OnlyReplay(b Backend) BackendOptions {
	return BackendOptions{Default: ReplayName, Custom: map[string]Backend{ReplayName: b}}
}

// replay returns the default backend when it plays a recording.
func (o BackendOptions) replay() (Backend, bool) {
	b, ok := o.Custom[o.Default]
	return b, ok && b.Replayed
}

// notRecorded reports whether a recording refused a request that was not made when it was recorded.
func (s *Session) notRecorded(failed *dapclient.ResponseError) bool {
	return s.backend.Replayed && strings.Contains(failed.Reason(), transcript.NotRecorded)
}

// unrecorded is notRecorded for any error.
func (s *Session) unrecorded(err error) bool {
	var failed *dapclient.ResponseError
	return s.backend.Replayed && errors.As(err, &failed) && s.notRecorded(failed)
}

// refusedByReplay returns the error for that: a recording can only do what the recorded session did.
func (s *Session) refusedByReplay(failed *dapclient.ResponseError, what string) *fault.Error {
	return fault.Errorf(fault.NotSupported, "%s: %s", what, failed.Reason()).
		With("feature", failed.Command).With("missingCapability", "not recorded").With("backend", s.profile.Name).
		With("hint", "do what the recorded session did next, or look at what it looked at here").With("sessionId", s.id)
}
