package journal_test

import (
	"fmt"

	"breakwire/adapter/journal"
)

// One log with independent readers. A flood of output evicts no stop.
func ExampleJournal() {
	j := journal.NewWithLimits(journal.Limits{OutputEntries: 2})
	j.Add(journal.Entry{Session: "s1", Class: journal.Control, Type: journal.TypeStop, Data: "Program.cs:21"})
	for i := range 5 {
		j.Add(journal.Entry{Session: "s1", Class: journal.Output, Type: journal.TypeOutput, Stream: journal.Stdout,
			Data: i, Size: 1})
	}

	c := j.Cursor(0, journal.Filter{Session: "s1"})
	defer c.Close()
	entries, missed := c.Next(nil)
	for _, e := range entries {
		fmt.Println(e.Seq, e.Type, e.Data)
	}
	fmt.Println("missed:", missed)
	// Output:
	// 1 stop Program.cs:21
	// 5 output 3
	// 6 output 4
	// missed: 3
}

// A cursor is woken only for entries that its filter matches.
func ExampleCursor_Ready() {
	j := journal.New()
	c := j.Cursor(0, journal.Filter{Classes: journal.MaskOf(journal.Control)})
	defer c.Close()
	go func() {
		j.Add(journal.Entry{Class: journal.Output, Type: journal.TypeOutput, Stream: journal.Stdout, Data: "hello", Size: 5})
		j.Add(journal.Entry{Class: journal.Control, Type: journal.TypeStop, Data: "Program.cs:21"})
	}()

	for range c.Ready() {
		if entries, _ := c.Next(nil); len(entries) > 0 { // it may have been woken without a reason
			fmt.Println(entries[0].Seq, entries[0].Type, entries[0].Data)
			break
		}
	}
	// Output:
	// 2 stop Program.cs:21
}
