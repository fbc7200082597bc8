// What a program prints as it dies; the first argument says of what.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"example.com/shop/shop"
	"example.com/shop/stacked"
)

type level int

func (l level) String() string { return fmt.Sprintf("level %d", int(l)) }

type missing struct {
	name string
	code int
}

type failed struct{ order int }

func (f *failed) Error() string {
	return fmt.Sprintf("订单 %d 失败：\n库存不足\n\n请联系 10.0.0.7", f.order)
}

type text string

func worker(wait *sync.WaitGroup, cache *shop.Cache[string, int]) {
	defer wait.Done()
	each := func(key string) int {
		return func() int { return cache.Must(key) }()
	}
	fmt.Println(shop.Map([]string{"a"}, each))
}

func inGoroutine() {
	var wait sync.WaitGroup
	wait.Add(1)
	go worker(&wait, &shop.Cache[string, int]{})
	wait.Wait()
}

func bounds() {
	get := shop.Order{Lines: []int{1, 2}}.Line
	for at := 0; at < 5; at++ {
		get(at)
	}
}

func again() {
	defer func() {
		if r := recover(); r != nil {
			panic(fmt.Errorf("could not load order 17: %v", r))
		}
	}()
	bounds()
}

func twice() {
	defer func() { panic("second, while the first was under way") }()
	panic("first")
}

func deep(n int) int { return deep(n+1) + deep(n+2) }

func deadlock() {
	orders := make(chan int)
	go func() { orders <- 1; select {} }()
	<-orders
	<-orders
}

func mapWrites() {
	counts := map[int]int{}
	for i := 0; i < 64; i++ {
		go func() {
			for n := 0; ; n++ {
				counts[n%100]++
			}
		}()
	}
	time.Sleep(10 * time.Second)
}

func logged() {
	defer func() {
		if r := recover(); r != nil {
			log.Printf("recovered in handler: %v\n%s", r, debug.Stack())
		}
	}()
	var index map[string][]int
	index["a"] = append(index["a"], 1)
}

func open(path string) error {
	_, err := os.Open(path)
	return stacked.Wrap(err, "read prices")
}

func wrapped() {
	err := open("/nonexistent/prices-2024.csv")
	err = stacked.Wrap(err, "load shop 7")
	fmt.Printf("%+v\n", err)
}

var table = func() map[string]func() {
	return map[string]func(){
		"goroutine": inGoroutine,
		"bounds":    bounds,
		"again":     again,
		"twice":     twice,
		"deep":      func() { deep(1) },
		"deadlock":  deadlock,
		"maps":      mapWrites,
		"logged":    logged,
		"wrapped":   wrapped,
		"stringer":  func() { panic(level(3)) },
		"struct":    func() { panic(missing{"a", 42}) },
		"error":     func() { panic(&failed{42}) },
		"typed":     func() { panic(text("out of stock")) },
		"errors":    func() { panic(errors.New("plain")) },
	}
}()

func main() { table[os.Args[1]]() }
