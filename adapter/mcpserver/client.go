package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"breakwire/adapter/mcpserver/jsonrpc"
	"breakwire/adapter/mcpserver/toolargs"
)

// notesBuffer is how many of mcp-go's own notifications (list changes, log messages) wait for the writer. The library
// drops the rest. That is harmless: a client with this many unread list changes reads the list again anyway.
const notesBuffer = 1024

// maxCursors bounds the sessions whose last stops are kept for one client.
const maxCursors = 256

// known is what a client has been told of the stops of a session.
type known struct {
	given uint64 // seq of the last stop or end that an answer held
	named uint64 // seq of the last stop that an event or a resource in an answer named
	ran   bool   // an answer has said that the program runs
}

// with returns the union of both.
func (k known) with(more known) known {
	return known{max(k.given, more.given), max(k.named, more.named), k.ran || more.ran}
}

// carried is what an answer tells of the stops of a session.
type carried struct {
	session string
	known
}

// stopCursor has what a client knows of the stops of each session. An older stop of one session is not lost behind a
// newer one of another.
type stopCursor struct {
	mu    sync.Mutex
	known map[string]known // replaced, never changed
}

// Cursor returns a function with what is known by session now.
func (s *stopCursor) Cursor() func(session string) known {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.known
	return func(session string) known { return now[session] }
}

// Deliver adds what an answer tells. The cursor of a session moves forward, never back.
func (s *stopCursor) Deliver(told []carried) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range told {
		s.deliver(c)
	}
}

func (s *stopCursor) deliver(c carried) {
	more := s.known[c.session].with(c.known)
	if more == s.known[c.session] {
		return
	}
	next := make(map[string]known, len(s.known)+1)
	maps.Copy(next, s.known)
	next[c.session] = more
	if len(next) > maxCursors {
		oldest := c.session
		for id, k := range next {
			if k.given < next[oldest].given {
				oldest = id
			}
		}
		delete(next, oldest)
	}
	s.known = next
}

// Client is one stdio connection or one MCP session over HTTP. It is mcp-go's session object and holds what we keep
// for a client: its stop cursor, log level and subscriptions. Hooks receive it as the server.ClientSession.
type Client struct {
	stopCursor

	id     string
	notes  chan mcp.JSONRPCNotification
	outbox *outbox
	last   func() uint64 // the journal's last seq

	messages messages

	initialized atomic.Bool
	gate        chan struct{} // closed when notifications may be sent
	gateOnce    sync.Once
	legacy      atomic.Bool // it sent notifications/initialized, so it gets list changes without asking

	mu           sync.Mutex
	level        mcp.LoggingLevel
	version      string
	info         mcp.Implementation
	capabilities mcp.ClientCapabilities
	// set by resources/subscribe, and by the library for subscriptions/listen; the value is the journal's last seq at
	// that time
	subscribed map[string]uint64
	listens    map[string]*listen // by the call's key
}

// listen is an open subscriptions/listen request. It is valid from the moment it is read, because clients send their
// next request before the acknowledgement arrives. Notifications that come before the acknowledgement are written
// after it.
type listen struct {
	id           json.RawMessage
	filter       mcp.SubscriptionFilter
	since        uint64 // the journal's last seq when it was read
	acknowledged bool
	early        []string // lines held until the acknowledgement is written
}

// hold keeps a line and reports true while the listen is not acknowledged.
func (l *listen) hold(line []byte) bool {
	if !l.acknowledged && !slices.Contains(l.early, string(line)) {
		l.early = append(l.early, string(line))
	}
	return !l.acknowledged
}

var (
	_ server.SessionWithLogging                  = (*Client)(nil)
	_ server.SessionWithClientInfo               = (*Client)(nil)
	_ server.SessionWithResourceSubscriptionsErr = (*Client)(nil)
	_ server.SessionWithProtocolVersion          = (*Client)(nil)
)

func newClient(o *outbox, last func() uint64) *Client {
	return &Client{
		id:         "stdio-" + rand.Text(),
		notes:      make(chan mcp.JSONRPCNotification, notesBuffer),
		outbox:     o,
		last:       last,
		gate:       make(chan struct{}),
		level:      mcp.LoggingLevelError, // mcp-go's own default
		subscribed: make(map[string]uint64),
		listens:    make(map[string]*listen),
	}
}

// clientFrom returns the client that a request came from. It is nil for clients of the library's own transports and
// for stateless ones over HTTP.
func clientFrom(ctx context.Context) *Client {
	c, _ := server.ClientSessionFromContext(ctx).(interface{ self() *Client })
	if c == nil {
		return nil
	}
	return c.self()
}

// self finds the Client in a session that wraps one.
func (c *Client) self() *Client { return c }

// SessionID is unique for each connection.
func (c *Client) SessionID() string { return c.id }

// NotificationChannel returns the channel for mcp-go's own notifications.
func (c *Client) NotificationChannel() chan<- mcp.JSONRPCNotification { return c.notes }

// Initialize is called by mcp-go after it has handled initialize. What the library sends from then on is held until
// the gate opens.
func (c *Client) Initialize() { c.initialized.Store(true) }

// Initialized reports whether mcp-go may send notifications.
func (c *Client) Initialized() bool { return c.initialized.Load() }

// Open lets notifications through, because the client is ready for them. The transport calls it during the handshake.
// Further calls do nothing.
func (c *Client) Open() { c.gateOnce.Do(func() { close(c.gate) }) }

func (c *Client) isOpen() bool {
	select {
	case <-c.gate:
		return true
	default:
		return false
	}
}

// SetLogLevel serves logging/setLevel (MCP, Logging).
func (c *Client) SetLogLevel(level mcp.LoggingLevel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.level = level
}

// GetLogLevel returns the lowest level that the client wants.
func (c *Client) GetLogLevel() mcp.LoggingLevel {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.level
}

// Wants reports whether the client asked for log messages of this level.
func (c *Client) Wants(level mcp.LoggingLevel) bool { return level.ShouldSendTo(c.GetLogLevel()) }

// GetClientInfo returns the name and version that the client gave.
func (c *Client) GetClientInfo() mcp.Implementation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.info
}

// SetClientInfo is called by mcp-go.
func (c *Client) SetClientInfo(info mcp.Implementation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.info = info
}

// GetClientCapabilities returns the capabilities that the client declared.
func (c *Client) GetClientCapabilities() mcp.ClientCapabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.capabilities
}

// SetClientCapabilities is called by mcp-go.
func (c *Client) SetClientCapabilities(capabilities mcp.ClientCapabilities) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.capabilities = capabilities
}

// ProtocolVersion returns the version that initialize agreed on, "" without initialize.
func (c *Client) ProtocolVersion() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// SetProtocolVersion is called by mcp-go.
func (c *Client) SetProtocolVersion(version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = version
}

// SubscribeToResourceErr is SubscribeToResource with an error for URIs that are not ours, which never change.
func (c *Client) SubscribeToResourceErr(uri string) error {
	if _, err := parseURI(uri); err != nil {
		return fmt.Errorf("there is no resource %s: %w", toolargs.Clip(uri), err)
	}
	c.SubscribeToResource(uri)
	return nil
}

// SubscribeToResource serves resources/subscribe (MCP, Resources).
func (c *Client) SubscribeToResource(uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.subscribed[uri]; !ok {
		c.subscribed[uri] = c.last()
	}
}

// UnsubscribeFromResource serves resources/unsubscribe (MCP, Resources).
func (c *Client) UnsubscribeFromResource(uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.subscribed, uri)
}

// SubscribedResources returns all URIs for which Updated would send a notification, sorted.
func (c *Client) SubscribedResources() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var uris []string
	for uri := range c.subscribed {
		uris = append(uris, uri)
	}
	for _, l := range c.listens {
		uris = append(uris, l.filter.ResourceSubscriptions...)
	}
	slices.Sort(uris)
	return slices.Compact(uris)
}

// Subscriptions returns the subscribed URIs, each with the journal's last seq when it was first subscribed to.
func (c *Client) Subscriptions() map[string]uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := maps.Clone(c.subscribed)
	for _, l := range c.listens {
		for _, uri := range l.filter.ResourceSubscriptions {
			if since, ok := all[uri]; !ok || l.since < since {
				all[uri] = l.since
			}
		}
	}
	return all
}

// IsSubscribedToResource reports whether Updated would send a notification for uri.
func (c *Client) IsSubscribedToResource(uri string) bool {
	return slices.Contains(c.SubscribedResources(), uri)
}

// Updated notifies the client that a resource has changed, if the client subscribed to it. While one such
// notification waits to be written, no second is queued: the client reads the resource after the first.
func (c *Client) Updated(uri string) {
	c.mu.Lock()
	tagged := false
	var lines [][]byte
	for _, l := range c.listens {
		if slices.Contains(l.filter.ResourceSubscriptions, uri) {
			tagged = true
			if line := taggedLine(mcp.MethodNotificationResourceUpdated, uri, l.id); !l.hold(line) {
				lines = append(lines, line)
			}
		}
	}
	if _, ok := c.subscribed[uri]; ok && !tagged {
		lines = append(lines, taggedLine(mcp.MethodNotificationResourceUpdated, uri, nil))
	}
	c.mu.Unlock()
	for _, line := range lines {
		c.outbox.notify(string(line), line, c.last(), nil)
	}
}

// Notify sends a notification with encoded params, after all events that are in the journal now. It replaces a
// waiting notification with the same key; key "" never replaces.
func (c *Client) Notify(method string, params []byte, key string) {
	c.outbox.notify(key, notificationLine(method, params), c.last(), nil)
}

// taggedLine encodes a notification for a uri ("" for none) and a subscription id (nil for none).
func taggedLine(method, uri string, id json.RawMessage) []byte {
	if uri == "" && id == nil {
		return notificationLine(method, nil)
	}
	params := []byte{'{'}
	if id != nil {
		params = append(params, `"_meta":{"`+mcp.MetaKeySubscriptionID+`":`...)
		params = append(jsonrpc.AppendID(params, id), '}')
	}
	if uri != "" {
		if id != nil {
			params = append(params, ',')
		}
		params = jsonrpc.AppendString(append(params, `"uri":`...), uri)
	}
	return notificationLine(method, append(params, '}'))
}

// listChanged returns the lines for a changed list: one for each subscription that asked for it, and one without a
// subscription id for clients of protocol versions that need no subscription.
func (c *Client) listChanged(method string) (lines [][]byte) {
	if c.legacy.Load() {
		lines = append(lines, taggedLine(method, "", nil))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.listens {
		wants := false
		switch method {
		case mcp.MethodNotificationResourcesListChanged:
			wants = l.filter.ResourcesListChanged
		case mcp.MethodNotificationToolsListChanged:
			wants = l.filter.ToolsListChanged
		case mcp.MethodNotificationPromptsListChanged:
			wants = l.filter.PromptsListChanged
		}
		if !wants {
			continue
		}
		if line := taggedLine(method, "", l.id); !l.hold(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// addListen adds a subscriptions/listen request when it is read.
func (c *Client) addListen(key string, id json.RawMessage, request []byte) {
	var r struct {
		Params struct {
			Notifications mcp.SubscriptionFilter `json:"notifications"`
		} `json:"params"`
	}
	if json.Unmarshal(request, &r) != nil {
		return // the library refuses the request
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listens[key] = &listen{id: id, filter: r.Params.Notifications, since: c.last()}
}

// acknowledge is called when the acknowledgement of a listen is written. It returns the lines that were held until
// then.
func (c *Client) acknowledge(key string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.listens[key]
	if l == nil {
		return nil
	}
	early := l.early
	l.acknowledged, l.early = true, nil
	return early
}

func (c *Client) removeListen(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.listens, key)
}
