package expression_test

import (
	"fmt"

	"breakwire/mapping/expression"
)

// An expression that only looks passes; of another the first part that may change the program is named.
func ExampleSafe() {
	fmt.Println(expression.Safe(expression.CSharp, "order.Lines[0].Price * 2 > limit"))
	r := expression.Safe(expression.CSharp, "order.Total() > limit")
	fmt.Println(r.Category, r.Offending)
	// Output:
	// <nil>
	// MethodCall order.Total()
}
