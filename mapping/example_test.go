package mapping_test

import (
	"fmt"

	"breakwire/mapping"
)

// A program that was built on another machine names its sources by their paths there.
func ExamplePathMap() {
	m, err := mapping.ParsePathMap("/_/src=/home/me/app", `C:\build=/home/me/lib`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.ToLocal("/_/src/Program.cs"))
	fmt.Println(m.ToLocal(`c:\build\Lib\Reader.cs`))
	fmt.Println(m.ToRemote("/home/me/app/Program.cs"))
	// Output:
	// /home/me/app/Program.cs
	// /home/me/lib/Lib/Reader.cs
	// /_/src/Program.cs
}

// A compiler-made name is shown as the name that the programmer wrote.
func ExampleLogicalFunction() {
	fmt.Println(mapping.LogicalFunction("Program.<Work>d__3.MoveNext()"))
	fmt.Println(mapping.LogicalFunction("Program.<>c__DisplayClass1_0.<Main>b__0()"))
	// Output:
	// Program.Work()
	// Program.Main() lambda
}

// A debugger's result code is explained.
func ExampleExplain() {
	message, code, ok := mapping.Explain("Failed command 'stackTrace' : 0x80131302")
	fmt.Println(message, ok)
	fmt.Println(code)
	// Output:
	// The program is not stopped: pause it, or wait for a breakpoint, and ask again. true
	// 0x80131302
}
