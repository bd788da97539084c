package expression_test

import (
	"fmt"

	"breakwire/mapping/expression"
)

// An expression without effects is accepted; of another one the first part that may change the program is returned.
func ExampleSafe() {
	fmt.Println(expression.Safe(expression.CSharp, "order.Lines[0].Price * 2 > limit"))
	r := expression.Safe(expression.CSharp, "order.Total() > limit")
	fmt.Println(r.Category, r.Offending)
	// Output:
	// <nil>
	// MethodCall order.Total()
}
