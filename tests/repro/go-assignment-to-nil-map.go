// Run: go run go-assignment-to-nil-map.go (Go 1.19)
package main

func main() {
	var stock map[string]int
	stock["apple"] = 1
}
