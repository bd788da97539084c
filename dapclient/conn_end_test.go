package dapclient

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// All open requests end, in the order they were sent, and then OnClose is called once.
func TestCloseEndsWhatIsOpen(t *testing.T) {
	var log told
	c, p := connect(t, Options{OnClose: func(err error) { log.add("closed %v", err) }})
	const n = 20
	for i := range n {
		_, err := c.Send(Request{Command: "evaluate", Done: func(m *Message, err error) {
			assert.Nil(t, m)
			assert.ErrorIs(t, err, ErrClosed)
			log.add("request %d", i)
		}})
		require.NoError(t, err)
	}
	for range n {
		p.request()
	}
	p.conn.Close()
	<-c.Done()
	var want []string
	for i := range n {
		want = append(want, fmt.Sprintf("request %d", i))
	}
	assert.Equal(t, append(want, "closed EOF"), log.all())
	assert.Equal(t, io.EOF, c.Err())
	_, err := c.Call(t.Context(), 0, "threads", nil)
	assert.Equal(t, ErrClosed, err)
}

// The functions that the connection calls may call Send.
func TestSendFromCallbacks(t *testing.T) {
	var c *Conn
	ready := make(chan struct{})
	last := make(chan error, 1)
	c, p := connect(t, Options{
		OnEvent: func(*Message) {
			<-ready
			c.Send(Request{Command: "one", Done: func(*Message, error) {
				c.Send(Request{Command: "two", Done: func(*Message, error) {}})
			}})
		},
		OnClose: func(error) {
			_, err := c.Send(Request{Command: "three"})
			last <- err
		},
	})
	close(ready)
	p.send(`{"type":"event","event":"stopped"}`)
	one := p.request()
	p.succeed(one)
	assert.Equal(t, "two", p.request().Name)
	p.conn.Close()
	assert.ErrorIs(t, <-last, ErrClosed)
}

func TestPeerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		c, p := connect(t, Options{OnClose: func(err error) { ended <- err }})
		began := time.Now()
		const n = 10_000
		failed := 0
		for range n {
			_, err := c.Send(Request{Command: "evaluate", Args: strings.Repeat("x", 100), Done: func(_ *Message, err error) {
				if errors.Is(err, ErrClosed) {
					failed++
				}
			}})
			require.NoError(t, err)
		}
		_, err := c.Call(t.Context(), time.Second, "evaluate", nil)
		require.ErrorIs(t, err, ErrDeadline)
		assert.Equal(t, time.Second, time.Since(began), "nobody waited but Call")
		c.Close()
		<-c.Done()
		assert.Equal(t, time.Second+lastMoment, time.Since(began))
		assert.Equal(t, n, failed)
		assert.ErrorIs(t, <-ended, io.ErrClosedPipe)
		p.conn.Close()
	})
}

// More than a pipe can hold is queued, and all of it arrives in order once the adapter reads.
func TestPeerThatReadsLate(t *testing.T) {
	adapterIn, ourOut, err := os.Pipe()
	require.NoError(t, err)
	ourIn, adapterOut, err := os.Pipe()
	require.NoError(t, err)
	var rec recorder
	c := NewConn(newStdioStream(&inPipe{File: ourOut}, ourIn), Options{Recorder: &rec})
	const n = 5000
	for i := range n {
		_, err := c.Send(Request{Command: "evaluate", Args: fmt.Sprintf("%d %100s", i, "")})
		require.NoError(t, err)
	}
	p := &peer{t: t, r: bufio.NewReader(adapterIn)}
	for i := range n {
		m := p.request()
		require.Equal(t, i+1, m.Seq)
		require.Contains(t, string(m.Arguments), fmt.Sprintf(`"%d `, i))
	}
	adapterOut.Close()
	<-c.Done()
	adapterIn.Close()
	lines := rec.all()
	require.Len(t, lines, n)
	for i, line := range lines {
		require.Contains(t, line, fmt.Sprintf(`send {"seq":%d,`, i+1))
	}
}

// An adapter that closes only its output, or only its input.
func TestHalfClosed(t *testing.T) {
	t.Run("output ends while the writer waits", func(t *testing.T) {
		in, ourOut := io.Pipe()
		c := NewConn(halves{strings.NewReader(""), ourOut}, Options{})
		<-c.Done()
		_, err := c.Send(Request{Command: "x"})
		assert.ErrorIs(t, err, ErrClosed)
		_, err = in.Read(make([]byte, 1))
		assert.Equal(t, io.EOF, err, "the stream was closed")
	})
	t.Run("input ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			in, ourOut := io.Pipe()
			ourIn, out := io.Pipe()
			var log told
			c := NewConn(halves{ourIn, ourOut}, Options{OnEvent: func(m *Message) { log.add("%s", m.Name) }})
			in.CloseWithError(errors.New("broken pipe"))
			got := make(chan error, 1)
			_, err := c.Send(Request{Command: "x", Done: func(_ *Message, err error) { got <- err }})
			require.NoError(t, err)
			synctest.Wait()
			_, err = c.Send(Request{Command: "y"})
			assert.ErrorIs(t, err, ErrClosed)
			// Its last message still counts.
			_, err = out.Write(AppendFrame(nil, []byte(`{"type":"event","event":"terminated"}`)))
			require.NoError(t, err)
			err = <-got
			assert.ErrorIs(t, err, ErrClosed)
			assert.ErrorContains(t, err, "broken pipe")
			<-c.Done()
			assert.Equal(t, []string{"terminated"}, log.all())
		})
	})
}

// halves joins a reader and a writer into a stream.
type halves struct {
	io.Reader
	io.WriteCloser
}

func (h halves) Close() error {
	if c, ok := h.Reader.(io.Closer); ok {
		c.Close()
	}
	return h.WriteCloser.Close()
}

func TestCloseFlushesWhatIsQueued(t *testing.T) {
	c, p := connect(t, Options{})
	for range 3 {
		_, err := c.Send(Request{Command: "disconnect"})
		require.NoError(t, err)
	}
	c.Close()
	c.Close()
	_, err := c.Send(Request{Command: "late"})
	assert.Equal(t, ErrClosed, err)
	for range 3 {
		assert.Equal(t, "disconnect", p.request().Name)
	}
	_, err = p.r.ReadByte()
	assert.ErrorIs(t, err, io.EOF)
	<-c.Done()
}

// A Read after Close returns at once, also while the rest of an adapter's output is discarded.
func TestReadAfterClose(t *testing.T) {
	in, ourOut, err := os.Pipe()
	require.NoError(t, err)
	defer in.Close()
	ourIn, out, err := os.Pipe()
	require.NoError(t, err)
	defer out.Close()
	s := newStdioStream(&inPipe{File: ourOut}, ourIn)
	require.NoError(t, s.Close())
	_, err = out.Write(make([]byte, 1<<20)) // more than a pipe can hold, so it is being read
	if runtime.GOOS != "windows" {          // there it is closed: a write fails but ends no process
		require.NoError(t, err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := s.Read(make([]byte, 1))
		read <- err
	}()
	select {
	case err := <-read:
		require.ErrorIs(t, err, os.ErrClosed)
	case <-time.After(patience):
		t.Fatal("the read waits for the adapter")
	}
	out.Close()
	<-s.ended
}
