// Run: go run go-context-deadline-exceeded.go (Go 1.19)
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"time"
)

func main() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { time.Sleep(3 * time.Second) }))
	c := http.Client{Timeout: time.Second}
	_, err := c.Get(srv.URL + "/orders")
	fmt.Println(err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", srv.URL+"/orders", nil)
	_, err = http.DefaultClient.Do(req)
	fmt.Println(err)
	_, err = http.Get("http://127.0.0.1:13999/")
	fmt.Println(err)
	_, err = http.Get("http://no-such-host.invalid/")
	fmt.Println(err)
	l, _ := net.Listen("tcp", "127.0.0.1:13001")
	defer l.Close()
	_, err = net.Listen("tcp", "127.0.0.1:13001")
	fmt.Println(err)
}
