// Run: go run go-concurrent-map-writes.go (Go 1.19)
package main

import "sync"

func main() {
	m := map[int]int{}
	var wg sync.WaitGroup
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			for j := 0; j < 100000; j++ {
				m[j%10] = i
			}
		}(i)
	}
	wg.Wait()
}
