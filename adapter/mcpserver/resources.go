package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"breakwire/adapter"
	"breakwire/adapter/breakpoint"
	"breakwire/adapter/fault"
	"breakwire/adapter/journal"
	"breakwire/adapter/mcpserver/jsonrpc"
	"breakwire/adapter/mcpserver/toolargs"
	"breakwire/mapping"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Resources are made from snapshots and the journal when they are read; the debugger is not asked. The library has
// one registered resource, which stands for all: hooks list what exists at that moment, and redirect every read to
// it. In the library's own tables each session would need an entry, and each entry a list_changed.

// The kinds of resources, in the order listed.
const (
	kindSession     = "session"
	kindBreakpoints = "breakpoints"
	kindThreads     = "threads"
	kindModules     = "modules"
	kindOutput      = "output"
	kindEvents      = "events"
	kindSource      = "source" // one for each file, listed as a template
)

const (
	scheme        = "debugger://"
	sessionsURI   = scheme + "sessions/"
	anyURI        = scheme + "any" // all reads are redirected to it; clients never see it
	jsonMIME      = "application/json"
	sourceMIME    = "text/plain"
	outputTails   = 64 << 10
	eventsInTotal = 200
	eventBytes    = 256 << 10 // of their text
)

// kinds describes the resources.
var kinds = []struct{ kind, title, description string }{
	{kindSession, "Debugging session", "What is being debugged, whether it runs or is paused, and where"},
	{kindBreakpoints, "Breakpoints", "All breakpoints and tracepoints with their state and live hit counts"},
	{kindThreads, "Threads", "The threads as last known; stale while the program runs"},
	{kindModules, "Modules", "The loaded modules and whether they have symbols"},
	{kindOutput, "Output", "The last 64 KiB of the program's stdout and stderr"},
	{kindEvents, "Events", "The last 200 events: hits, tracepoint messages, state changes, output"},
}

// resource is what a URI names.
type resource struct {
	session string // "" means the only or oldest live one
	kind    string
	file    string // of a source
}

// parseURI parses a URI of ours, and returns an error for any other.
func parseURI(uri string) (resource, error) {
	if len(uri) < len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) {
		return resource{}, fmt.Errorf("it does not begin with %s", scheme)
	}
	if session, file, err := mapping.SplitSourceURI(uri); err == nil {
		return resource{session, kindSource, file}, nil
	} else if !errors.Is(err, mapping.ErrNotSourceURI) {
		return resource{}, err
	}
	rest, session := uri[len(scheme):], ""
	if below, ok := strings.CutPrefix(rest, "sessions/"); ok {
		if session, rest, ok = strings.Cut(below, "/"); !ok || session == "" {
			return resource{}, fmt.Errorf("a session's resource is %sID/KIND", sessionsURI)
		}
		if decoded, err := url.PathUnescape(session); err == nil {
			session = decoded
		}
	}
	for _, k := range kinds {
		if rest == k.kind {
			return resource{session, k.kind, ""}, nil
		}
	}
	return resource{}, fmt.Errorf("%q is none of session, breakpoints, threads, modules, output, events, source/FILE",
		rest)
}

// addResources registers the one resource and its hooks.
func (s *Server) addResources(hooks *server.Hooks) {
	hooks.AddAfterListResources(func(_ context.Context, _ any, _ *mcp.ListResourcesRequest,
		result *mcp.ListResourcesResult) {
		result.Resources = s.listResources()
	})
	hooks.AddAfterListResourceTemplates(func(_ context.Context, _ any, _ *mcp.ListResourceTemplatesRequest,
		result *mcp.ListResourceTemplatesResult) {
		result.ResourceTemplates = s.listTemplates()
	})
	hooks.AddBeforeReadResource(func(_ context.Context, _ any, request *mcp.ReadResourceRequest) {
		// The library would match templates, and refuse URIs written by hand with raw spaces, # and %.
		request.Params.Arguments = map[string]any{"uri": request.Params.URI}
		request.Params.URI = anyURI
	})
	s.mcp.AddResource(mcp.NewResource(anyURI, "any"), s.readResource)
	s.manager.OnSessions(func() {
		if s.opts.Notify != NotifyNone {
			s.mcp.SendNotificationToAllClients(mcp.MethodNotificationResourcesListChanged, nil)
		}
		s.pump.wake()
	})
}

// listResources lists what can be read now. With several sessions, each has its own URIs in addition to those of the
// oldest.
func (s *Server) listResources() []mcp.Resource {
	list := []mcp.Resource{}
	live := s.manager.Live()
	if len(live) == 0 {
		return list
	}
	add := func(prefix, uri, of string) {
		for _, k := range kinds {
			r := mcp.NewResource(uri+k.kind, prefix+k.kind, mcp.WithResourceDescription(k.description+of),
				mcp.WithMIMEType(jsonMIME))
			r.Title = k.title
			list = append(list, r)
		}
	}
	if len(live) == 1 {
		add("", scheme, "")
		return list
	}
	add("", scheme, ", of session "+live[0].ID()+", the oldest")
	for _, session := range live {
		add(session.ID()+"/", sessionsURI+url.PathEscape(session.ID())+"/", ", of session "+session.ID())
	}
	return list
}

// listTemplates lists the templates. They exist, like the resources, only while something is debugged.
func (s *Server) listTemplates() []mcp.ResourceTemplate {
	list := []mcp.ResourceTemplate{}
	live := s.manager.Live()
	if len(live) == 0 {
		return list
	}
	add := func(name, uri, of string) {
		t := mcp.NewResourceTemplate(uri+"source/{file}", name,
			mcp.WithTemplateDescription("A source file that the program's symbols, frames or breakpoints name"+of+
				". file is its path, or its end when that is enough"),
			mcp.WithTemplateMIMEType(sourceMIME))
		t.Title = "Source file"
		list = append(list, t)
	}
	add("source", scheme, "")
	if len(live) > 1 {
		for _, session := range live {
			add(session.ID()+"/source", sessionsURI+url.PathEscape(session.ID())+"/", ", of session "+session.ID())
		}
	}
	return list
}

// readResource serves resources/read for all URIs.
func (s *Server) readResource(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	uri, _ := request.Params.Arguments["uri"].(string)
	ctx, release := callFrom(ctx).withClosing(ctx)
	defer release()
	err := callFrom(ctx).build(ctx)
	var contents mcp.TextResourceContents
	if err == nil {
		contents, err = s.contents(ctx, uri)
	}
	if err != nil {
		e := fault.AsError(err)
		code := mcp.INTERNAL_ERROR
		switch e.Code {
		case fault.NoSession, fault.InvalidParameter, fault.SourceNotAllowed, fault.SourceNotFound:
			code = notThereCode(ctx)
		}
		return nil, failRequest(ctx, code, e)
	}
	callFrom(ctx).finished.Store(true)
	return []mcp.ResourceContents{contents}, nil
}

func (s *Server) contents(ctx context.Context, uri string) (mcp.TextResourceContents, error) {
	r, err := parseURI(uri)
	if err != nil {
		return mcp.TextResourceContents{}, fault.Errorf(fault.InvalidParameter,
			"there is no resource %s: %w; resources/list shows the ones there are", toolargs.Clip(uri), err).
			With("uri", toolargs.Clip(uri))
	}
	session, err := s.sessionOf(r.session)
	if err != nil {
		return mcp.TextResourceContents{}, err
	}
	if r.kind == kindSource {
		source, err := session.ReadSource(r.file)
		if err != nil {
			return mcp.TextResourceContents{}, err
		}
		return content(uri, sourceMIME, strings.ToValidUTF8(string(source.Text), "\ufffd"),
			"read it with source_get and around_line")
	}
	value, err := s.contentOf(ctx, session, r.kind)
	if err != nil {
		return mcp.TextResourceContents{}, err
	}
	text, err := jsonrpc.Marshal(value)
	if err != nil {
		return mcp.TextResourceContents{}, fault.Errorf(fault.Internal, "encode %s: %w", uri, err)
	}
	return content(uri, jsonMIME, string(text), "the tools tell it in parts")
}

// content returns a text as the content of a resource, and refuses one that is too large for an answer.
func content(uri, mime, text, instead string) (mcp.TextResourceContents, error) {
	if size := textBytes(text); size > answerBytes-keptBytes-len(uri) {
		return mcp.TextResourceContents{}, fault.Errorf(fault.AnswerTooLarge,
			"%s would have %d bytes, more than the %d that one answer may have: %s",
			toolargs.Clip(uri), size, answerBytes, instead).With("bytes", size).With("limit", answerBytes)
	}
	return mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: text}, nil
}

// sessionOf returns the session of a URI. A URI without a session means the oldest live one, so that it is never
// ambiguous.
func (s *Server) sessionOf(id string) (*adapter.Session, error) {
	if id == "" {
		if live := s.manager.Live(); len(live) > 0 {
			return live[0], nil
		}
	}
	session, err := s.manager.Session(id)
	if err == nil && !session.Snapshot().State.Live() {
		_, err = session.ListModules(context.Background()) // returns how it ended, without a request
	}
	return session, err
}

type (
	breakpointsResource struct {
		Breakpoints []breakpoint.Info `json:"breakpoints"`
		Exceptions  []breakpoint.Info `json:"exceptionBreakpoints"`
	}
	threadsResource struct {
		Threads    []adapter.Thread `json:"threads"`
		Stale      bool             `json:"stale"`
		CapturedAt string           `json:"capturedAt,omitempty"`
	}
	modulesResult struct {
		Modules []adapter.Module `json:"modules"`
		Count   int              `json:"count"`
	}
	eventsResource struct {
		*eventList
		LastSeq   uint64 `json:"lastSeq"`
		OldestSeq uint64 `json:"oldestSeq"`
		Dropped   uint64 `json:"dropped"`
	}
)

// contentOf returns the content of one kind of resource.
func (s *Server) contentOf(ctx context.Context, session *adapter.Session, kind string) (any, error) {
	snap := session.Snapshot()
	starting := snap.State == adapter.Starting
	if starting && kind != kindSession && kind != kindThreads {
		return nil, fault.Errorf(fault.SessionStarting, "session %s is still starting; read %s%s when it runs",
			session.ID(), scheme, kind).
			With("sessionId", session.ID())
	}
	switch kind {
	case kindSession:
		r := s.stateOf(session)
		said(ctx, r.Session)
		if r.Stop != nil {
			callFrom(ctx).Names(session.ID(), r.Stop.Seq)
		}
		return r, nil
	case kindBreakpoints:
		r := breakpointsResource{Breakpoints: []breakpoint.Info{}, Exceptions: []breakpoint.Info{}}
		for _, b := range s.manager.Breakpoints(session.ID()) {
			if b.Type == breakpoint.Exception {
				r.Exceptions = append(r.Exceptions, b)
			} else {
				r.Breakpoints = append(r.Breakpoints, b)
			}
		}
		return r, nil
	case kindThreads:
		r := threadsResource{Threads: []adapter.Thread{}, Stale: true}
		if !starting {
			r.Threads, r.Stale = append(r.Threads, snap.Threads...), snap.ThreadsStale
			if !snap.ThreadsAt.IsZero() {
				r.CapturedAt = journal.Timestamp(snap.ThreadsAt)
			}
		}
		return r, nil
	case kindModules:
		return modulesResult{append([]adapter.Module{}, snap.Modules...), len(snap.Modules)}, nil
	case kindOutput:
		return session.OutputTails(outputTails), nil
	default:
		tail := s.manager.Journal().Tail(journal.Filter{Session: session.ID(), WithProcess: true}, eventsInTotal)
		list := newEventList(tail.Entries, false, false)
		start, room := len(tail.Entries), eventBytes
		for start > 0 && room > 0 {
			ev, _ := eventOf(tail.Entries[start-1])
			ev.cut()
			room -= encodedLen(ev)
			start--
		}
		room = answerBytes
		for _, e := range tail.Entries[start:] {
			list.add(e, &room)
			callFrom(ctx).namesStopOf(&e)
		}
		r := eventsResource{list, tail.LastSeq, tail.OldestSeq, tail.Dropped}
		return r, nil
	}
}
