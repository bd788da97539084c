// Command deadlock has workers that wait for each other.
package main

import "sync"

func transfer(from, to *sync.Mutex, ready chan bool, done *sync.WaitGroup) {
	defer done.Done()
	from.Lock()
	ready <- true
	<-ready
	to.Lock()
}

func audit(reports chan int) {
	for range reports {
	}
}

func main() {
	var a, b sync.Mutex
	ready := make(chan bool)
	var done sync.WaitGroup
	done.Add(2)
	go transfer(&a, &b, ready, &done)
	go transfer(&b, &a, ready, &done)
	go audit(make(chan int))
	done.Wait()
}
