// Run: go run go-all-goroutines-asleep-waitgroup.go (Go 1.19)
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func(wg sync.WaitGroup) { defer wg.Done() }(wg)
	}
	wg.Wait()
}
