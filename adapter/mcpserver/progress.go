package mcpserver

import (
	"breakwire/adapter"
	"breakwire/adapter/mcpserver/jsonrpc"
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"
)

// progressInterval is the time between two progress notifications.
const progressInterval = time.Second

// Progress notifies the client once a second that the call of ctx still waits, if the client sent a progress token
// (MCP, Progress). The progress is the number of seconds waited; total is the limit, 0 when it is open; message,
// which may be nil, is called each time. stop ends the notifications and waits until none is being sent. It may be
// called more than once, and must be called before the handler returns.
func Progress(ctx context.Context, total time.Duration, message func() string) (stop func()) {
	c := callFrom(ctx)
	if c == nil || c.notify == nil {
		return func() {}
	}
	token := c.token()
	if token == nil {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		start := time.Now()
		for {
			select {
			case now := <-ticker.C:
				text := ""
				if message != nil {
					text = message()
				}
				c.notify("notifications/progress", progressParams(token, now.Sub(start), total, text))
			case <-done:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	var once sync.Once
	return func() {
		once.Do(func() { close(done) })
		<-ended
	}
}

// stateProgress is Progress for a call that waits for the program. The message is the program's state.
func stateProgress(ctx context.Context, total time.Duration, session *adapter.Session) (stop func()) {
	return Progress(ctx, total, func() string { return "the program is " + string(session.Snapshot().State) })
}

func progressParams(token json.RawMessage, waited, total time.Duration, message string) []byte {
	dst := append([]byte(`{"progressToken":`), jsonrpc.AppendID(nil, token)...)
	dst = append(dst, `,"progress":`...)
	dst = strconv.AppendFloat(dst, waited.Round(time.Millisecond).Seconds(), 'f', -1, 64)
	if total > 0 {
		dst = append(dst, `,"total":`...)
		dst = strconv.AppendFloat(dst, total.Seconds(), 'f', -1, 64)
	}
	if message != "" {
		dst = append(dst, `,"message":`...)
		dst = jsonrpc.AppendString(dst, message)
	}
	return append(dst, '}')
}
