package daptest_test

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// scripted is an adapter with a fixed output.
type scripted struct{ io.Reader }

func (scripted) Write(p []byte) (int, error) { return len(p), nil }
func (scripted) Close() error                { return nil }

func spoiledBy(t *testing.T, seed uint64, fault daptest.Fault) (said, heard []byte) {
	t.Helper()
	for n := 1; n <= 40; n++ {
		said = dapclient.AppendFrame(said, []byte(`{"seq":1,"type":"response","request_seq":`+string(rune('0'+n%10))+
			`,"command":"stackTrace","success":true,"body":{"stackFrames":[{"id":7}]}}`))
		said = dapclient.AppendFrame(said,
			[]byte(`{"seq":1,"type":"event","event":"stopped","body":{"threadId":1,"hitBreakpointIds":[3]}}`))
	}
	v := daptest.NewVandal(seed, fault)
	stream := v.Between(scripted{bytes.NewReader(said)})
	heard, err := io.ReadAll(bufio.NewReader(stream))
	require.NoError(t, err)
	stream.Close()
	<-v.Closed()
	return said, heard
}

// Each fault appears with some seed. Without faults everything passes unchanged.
func TestVandal(t *testing.T) {
	said, heard := spoiledBy(t, 1, "none")
	require.Equal(t, said, heard)
	for _, fault := range daptest.Faults {
		t.Run(string(fault), func(t *testing.T) {
			for seed := uint64(1); seed < 1000; seed++ {
				if !daptest.NewVandal(seed, fault).Has(fault) {
					continue
				}
				require.Equal(t, []daptest.Fault{fault}, daptest.NewVandal(seed, fault).Faults())
				said, heard := spoiledBy(t, seed, fault)
				switch fault {
				case daptest.FaultSplit, daptest.FaultDelay: // these change only times and pieces
					require.Equal(t, said, heard)
					return
				}
				if !bytes.Equal(said, heard) {
					return
				}
			}
			t.Fatal("never seen")
		})
	}
}
