// Command panics reads beyond a slice.
package main

import "fmt"

func pick(names []string, offset int) string {
	index := offset*4 + 1
	return names[index]
}

func main() {
	names := []string{"ada", "bob", "cy", "dee", "eve"}
	for offset := range 3 {
		fmt.Println(pick(names, offset))
	}
}
