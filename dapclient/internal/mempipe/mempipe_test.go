package mempipe_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"breakwire/dapclient/internal/mempipe"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWriteDoesNotWait(t *testing.T) {
	a, b := mempipe.New()
	text := bytes.Repeat([]byte("0123456789"), 50_000)
	for i := 0; i < len(text); i += 1000 {
		_, err := a.Write(text[i : i+1000])
		require.NoError(t, err)
	}
	require.NoError(t, a.Close())
	got, err := io.ReadAll(b)
	require.NoError(t, err)
	assert.Equal(t, text, got, "what was written before Close can be read")
	_, err = b.Write([]byte("x"))
	require.ErrorIs(t, err, io.ErrClosedPipe)
	_, err = a.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

func TestReadWaitsForWrite(t *testing.T) {
	a, b := mempipe.New()
	got := make(chan string)
	go func() {
		buf := make([]byte, 10)
		n, _ := b.Read(buf)
		got <- string(buf[:n])
	}()
	_, err := a.Write([]byte("hello"))
	require.NoError(t, err)
	assert.Equal(t, "hello", <-got)
	go func() {
		_, err := b.Read(make([]byte, 1))
		got <- err.Error()
	}()
	require.NoError(t, b.Close())
	assert.Equal(t, io.ErrClosedPipe.Error(), <-got)
}

func TestStall(t *testing.T) {
	a, b := mempipe.New()
	a.Out.Stall(true)
	done := make(chan error)
	go func() {
		_, err := a.Write([]byte("x"))
		done <- err
	}()
	a.Out.Stall(false)
	require.NoError(t, <-done)
	a.Out.Stall(true)
	go func() {
		_, err := a.Write([]byte("x"))
		done <- err
	}()
	require.NoError(t, b.Close())
	require.ErrorIs(t, <-done, io.ErrClosedPipe)
}

func TestChunks(t *testing.T) {
	a, b := mempipe.New()
	b.In.Chunk(1)
	_, err := a.Write(bytes.Repeat([]byte("x"), 5000))
	require.NoError(t, err)
	require.NoError(t, a.Close())
	sizes := map[int]bool{}
	total := 0
	buf := make([]byte, 4096)
	for {
		n, err := b.Read(buf)
		if err != nil {
			break
		}
		sizes[n] = true
		total += n
	}
	assert.Equal(t, 5000, total)
	assert.Greater(t, len(sizes), 5)
}
