package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// patience is the time limit for expected events, long enough for a busy machine.
	patience = 20 * time.Second

	methodUpdated     = "notifications/resources/updated"
	methodListChanged = "notifications/resources/list_changed"
)

// uris lists the URIs of the resources.
func (r *run) uris() (uris []string) {
	if r.err != nil {
		return nil
	}
	list, err := r.session.ListResources(r.ctx, nil)
	if err != nil {
		r.err = fmt.Errorf("list resources: %w", err)
		return nil
	}
	for _, resource := range list.Resources {
		uris = append(uris, resource.URI)
	}
	return uris
}

// read reads a JSON resource and compares parts of it.
func (r *run) read(uri string, pairs ...any) {
	if r.err != nil {
		return
	}
	result, err := r.session.ReadResource(r.ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		r.err = fmt.Errorf("read %s: %w", uri, err)
		return
	}
	var got object
	if err := json.Unmarshal([]byte(result.Contents[0].Text), &got); err != nil {
		r.err = fmt.Errorf("read %s: %w", uri, err)
		return
	}
	if err := want(got, pairs...); err != nil {
		r.err = fmt.Errorf("read %s: %w", uri, err)
	}
}

// refused reads a resource that must not exist, and checks the error of the protocol's generation.
func (r *run) refused(uri, code string) {
	if r.err != nil {
		return
	}
	rpc := int64(-32002)
	if r.session.InitializeResult().ProtocolVersion >= "2026" {
		rpc = -32602
	}
	_, err := r.session.ReadResource(r.ctx, &mcp.ReadResourceParams{URI: uri})
	var wire *jsonrpc.Error
	var data struct{ Code, Message string }
	switch {
	case !errors.As(err, &wire):
		r.err = fmt.Errorf("read %s: %v, want a JSON-RPC error", uri, err)
	case json.Unmarshal(wire.Data, &data) != nil || data.Code != code || data.Message == "" || wire.Code != rpc:
		r.err = fmt.Errorf("read %s: error %d with data %s, want %d with %s", uri, wire.Code, wire.Data, rpc, code)
	}
}

func (r *run) subscribe(uri string) {
	if r.err == nil {
		if err := r.session.Subscribe(r.ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
			r.err = fmt.Errorf("subscribe to %s: %w", uri, err)
		}
	}
}

// updates returns the number of received updates of a resource.
func (r *run) updates(uri string) (n int) {
	for _, params := range r.received(methodUpdated) {
		if params["uri"] == uri {
			n++
		}
	}
	return n
}

// await waits until came is true. Notifications arrive on the SDK's goroutine, so it has to poll.
func (r *run) await(what string, limit time.Duration, came func() bool) {
	for end := time.Now().Add(limit); r.err == nil && !came(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			r.err = fmt.Errorf("%s did not come within %v", what, limit)
		}
	}
}

func (r *run) ensure(ok bool, format string, args ...any) {
	if r.err == nil && !ok {
		r.err = fmt.Errorf(format, args...)
	}
}

// resources checks the resources of one session over its lifetime, and their updates.
func resources(c *client, longrun, source string) error {
	r := &run{client: c}
	uris := r.uris()
	r.ensure(len(uris) == 0, "resources without a session: %v", uris)
	r.refused("debugger://session", "NO_SESSION")
	r.check("nothing there")

	r.expect("debug_launch", object{"program": longrun, "stop_at_entry": false, "backend": "dlv"}, "success", true,
		"session.state", "running")
	r.await("list_changed", patience, func() bool { return len(r.received(methodListChanged)) == 1 })
	uris = r.uris()
	r.ensure(len(uris) == 6 && uris[0] == "debugger://session", "resources of a session: %v", uris)
	r.check("launch, six resources")

	r.subscribe("debugger://session")
	r.subscribe("debugger://breakpoints")
	r.expect("debug_pause", nil, "success", true)
	r.await("an update of the session", patience, func() bool { return r.updates("debugger://session") > 0 })
	r.read("debugger://session", "session.state", "paused")
	r.ensure(r.updates("debugger://breakpoints") == 0, "an update of breakpoints that did not change")
	r.check("pause, an update")

	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	line := 1 + strings.Count(string(text[:strings.Index(string(text), "// mark: hit")]), "\n")
	r.expect("tracepoint_set", object{"file": source, "line": line, "log_message": "here"}, "success", true)
	r.await("an update of the breakpoints", patience, func() bool { return r.updates("debugger://breakpoints") > 0 })
	if r.err == nil {
		r.err = r.session.Unsubscribe(r.ctx, &mcp.UnsubscribeParams{URI: "debugger://session"})
	}
	r.expect("debug_state", nil, "success", true) // its answer comes after the end of the subscription
	before := r.updates("debugger://session")
	r.expect("debug_continue", nil, "success", true)
	r.await("updates of the counts", patience, func() bool { return r.updates("debugger://breakpoints") > 3 })
	r.ensure(r.updates("debugger://session") == before, "an update after the end of the subscription")
	r.check("a tracepoint, updates of its counts")

	if r.err == nil {
		result, err := r.session.ReadResource(r.ctx, &mcp.ReadResourceParams{URI: "debugger://source/" + source})
		if err != nil || result.Contents[0].Text != string(text) {
			r.err = fmt.Errorf("read %s: %w", source, err)
		}
	}
	r.refused("debugger://source/%2Fetc%2Fpasswd", "SOURCE_NOT_ALLOWED")
	r.check("source")

	r.expect("debug_disconnect", nil, "success", true)
	r.await("list_changed", patience, func() bool { return len(r.received(methodListChanged)) == 2 })
	uris = r.uris()
	r.ensure(len(uris) == 0, "resources after the end: %v", uris)
	r.refused("debugger://session", "NO_SESSION")
	r.check("disconnect, nothing there again")
	if r.err != nil {
		return r.err
	}
	return c.close()
}
