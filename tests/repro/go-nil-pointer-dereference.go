// Run: go run go-nil-pointer-dereference.go (Go 1.19)
package main

import "fmt"

type Order struct{ ID int }

func find(id int) (*Order, error) { return nil, fmt.Errorf("order %d not found", id) }

func main() {
	o, _ := find(7)
	fmt.Println(o.ID)
}
