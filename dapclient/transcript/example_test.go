package transcript_test

import (
	"bytes"
	"fmt"
	"io"

	"breakwire/dapclient"
	"breakwire/dapclient/transcript"
)

// A recording is written frame by frame, without the values of environment variables, and read back in order.
func ExampleWriter() {
	var file bytes.Buffer
	w, err := transcript.NewWriter(&file, transcript.Header{Backend: "dlv", Program: "app"})
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Record(dapclient.Sent,
		[]byte(`{"seq":1,"type":"request","command":"launch","arguments":{"env":{"TOKEN":"secret"}}}`))
	w.Record(dapclient.Received, []byte(`{"seq":1,"type":"event","event":"initialized"}`))
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}

	r, err := transcript.NewReader(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("of", r.Header().Backend)
	var e transcript.Entry
	for err = r.Next(&e); err == nil; err = r.Next(&e) {
		fmt.Println(e.Line, e.Dir, string(e.Body))
	}
	fmt.Println(err == io.EOF)
	// Output:
	// of dlv
	// 2 send {"seq":1,"type":"request","command":"launch","arguments":{"env":{"TOKEN":"<redacted>"}}}
	// 3 recv {"seq":1,"type":"event","event":"initialized"}
	// true
}
