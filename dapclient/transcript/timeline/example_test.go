package timeline_test

import (
	"fmt"
	"strings"

	"breakwire/dapclient/transcript/timeline"
)

// A recording of a program that was stopped for half a second.
func ExampleRead() {
	t, err := timeline.Read(strings.NewReader(`{"breakwire":1,"backend":"dlv","program":"app"}
{"t":0.1,"dir":"recv","msg":{"seq":1,"type":"event","event":"output","body":{"category":"stdout","output":"hello\n"}}}
{"t":0.2,"dir":"recv","msg":{"seq":2,"type":"event","event":"stopped","body":{"reason":"breakpoint","threadId":1}}}
{"t":0.7,"dir":"send","msg":{"seq":1,"type":"request","command":"continue","arguments":{"threadId":1}}}
{"t":0.7,"dir":"recv","msg":{"seq":3,"type":"response","request_seq":1,"command":"continue","success":true}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range t.Events {
		fmt.Printf("%v %s %s %q", e.At, e.Kind, e.Name, e.Text)
		if e.Until > 0 {
			fmt.Printf(" until %v, by %s", e.Until, e.Resume)
		}
		fmt.Println()
	}
	// Output:
	// 100ms output stdout "hello\n"
	// 200ms stop breakpoint "" until 700ms, by continue
}
