// Run: go run go-all-goroutines-asleep-range.go (Go 1.19)
package main

import "fmt"

func main() {
	results := make(chan int)
	go func() {
		for i := 0; i < 3; i++ {
			results <- i
		}
	}()
	for r := range results {
		fmt.Println(r)
	}
}
