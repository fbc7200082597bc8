// Run: go run go-all-goroutines-asleep.go (Go 1.19)
package main

import "fmt"

func main() {
	results := make(chan int)
	results <- 1
	fmt.Println(<-results)
}
