package journal_test

import (
	"fmt"

	"breakwire/adapter/journal"
)

// One log, read by everybody who wants to at a place of their own. A flood of output costs no stop.
func ExampleJournal() {
	j := journal.NewWithLimits(journal.Limits{OutputEntries: 2})
	j.Add(journal.Entry{Session: "s1", Class: journal.Control, Type: journal.TypeStop, Data: "Program.cs:21"})
	for i := range 5 {
		j.Add(journal.Entry{Session: "s1", Class: journal.Output, Type: journal.TypeOutput, Stream: journal.Stdout, Data: i, Size: 1})
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
