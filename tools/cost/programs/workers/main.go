// Command workers has many goroutines that wait.
package main

import (
	"fmt"
	"sync"
)

func consume(jobs chan int, done *sync.WaitGroup) {
	defer done.Done()
	for range jobs {
	}
}

func flush(lock *sync.Mutex, done *sync.WaitGroup) {
	defer done.Done()
	lock.Lock()
	lock.Unlock()
}

func main() {
	jobs, lock := make(chan int), &sync.Mutex{}
	var done sync.WaitGroup
	lock.Lock()
	for range 90 {
		done.Add(1)
		go consume(jobs, &done)
	}
	for range 30 {
		done.Add(1)
		go flush(lock, &done)
	}
	for range 200 {
		jobs <- 1
	}
	fmt.Println("all sent") // look
	close(jobs)
	lock.Unlock()
	done.Wait()
}
