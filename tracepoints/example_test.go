package tracepoints_test

import (
	"fmt"

	"breakwire/tracepoints"
)

// A message with expressions, and its text when one of them fails.
func ExampleTemplate_Render() {
	t, err := tracepoints.Parse("pass {i}: {name.Length} of {{name}}")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Expressions())
	fmt.Println(t.Render([]tracepoints.Value{{Text: "4"}, {Err: "NullReferenceException"}}))
	// Output:
	// [i name.Length]
	// pass 4: <error: NullReferenceException> of {name}
}

// Every third hit is reported, twice; then the tracepoint is exhausted.
func ExampleState_Hit() {
	s := tracepoints.State{Filter: tracepoints.Filter{Multiple: 3, Max: 2}}
	for range 7 {
		if count, notify, exhausted := s.Hit(); notify {
			fmt.Println("hit", count, "exhausted:", exhausted)
		}
	}
	fmt.Println(s.Hits(), "counted,", s.Told(), "told")
	// Output:
	// hit 3 exhausted: false
	// hit 6 exhausted: true
	// 6 counted, 2 told
}

// A hit condition counts from 1.
func ExampleParseHitCondition() {
	for _, text := range []string{"5", ">=3", "%2"} {
		h, err := tracepoints.ParseHitCondition(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(text, ":")
		for hit := uint64(1); hit <= 6; hit++ {
			if h.Match(hit) {
				fmt.Print(" ", hit)
			}
		}
		fmt.Println()
	}
	// Output:
	// 5: 5
	// >=3: 3 4 5 6
	// %2: 2 4 6
}
