// Two goroutines write one counter.
package main

import (
	"fmt"
	"sync"
)

type counter struct{ n int }

func (c *counter) add() { c.n++ }

func main() {
	var wait sync.WaitGroup
	c := &counter{}
	wait.Add(1)
	go func() {
		defer wait.Done()
		c.add()
	}()
	c.add()
	wait.Wait()
	fmt.Println(c.n)
}
