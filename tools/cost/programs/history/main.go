// Command history changes a value in each pass.
package main

import "fmt"

func next(seed int) int {
	seed = (seed*73 + 11) % 101
	return seed // pass
}

func main() {
	seed := 5
	for range 60 {
		seed = next(seed)
	}
	fmt.Println("done")
}
