package mcpserver

import (
	"breakwire/adapter"
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"
)

// progressInterval is how often a waiting call says that it still waits.
const progressInterval = time.Second

// Progress tells the client once a second that the call of ctx still waits, if it asked to be told.
// The progress is the seconds waited; total is how long it may take, 0 when that is open; message,
// which may be nil, is asked each time. stop ends it, waits until nothing more is sent, and can be
// called again; it must be called before the handler returns.
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

// stateProgress is Progress of a call that waits for the program: the message says what it does.
func stateProgress(ctx context.Context, total time.Duration, session *adapter.Session) (stop func()) {
	return Progress(ctx, total, func() string { return "the program is " + string(session.Snapshot().State) })
}

func progressParams(token json.RawMessage, waited, total time.Duration, message string) []byte {
	dst := append([]byte(`{"progressToken":`), appendID(nil, token)...)
	dst = append(dst, `,"progress":`...)
	dst = strconv.AppendFloat(dst, waited.Round(time.Millisecond).Seconds(), 'f', -1, 64)
	if total > 0 {
		dst = append(dst, `,"total":`...)
		dst = strconv.AppendFloat(dst, total.Seconds(), 'f', -1, 64)
	}
	if message != "" {
		dst = append(dst, `,"message":`...)
		dst = appendString(dst, message)
	}
	return append(dst, '}')
}
