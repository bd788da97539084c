// Command sum adds numbers. One of them is wrong.
package main

import "fmt"

func price(i int) int {
	if i == 7 {
		return -41
	}
	return i * 3
}

func main() {
	total := 0
	for i := range 20 {
		p := price(i)
		total += p // add
	}
	fmt.Println(total)
}
