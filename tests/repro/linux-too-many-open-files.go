// Run: go build linux-too-many-open-files.go && (ulimit -n 30; ./linux-too-many-open-files) (Go 1.19)
package main

import (
	"net"
	"net/http"
	"time"
)

func main() {
	l, _ := net.Listen("tcp", "127.0.0.1:13002")
	go http.Serve(l, nil)
	var cs []net.Conn
	for i := 0; i < 40; i++ {
		c, err := net.Dial("tcp", "127.0.0.1:13002")
		if err != nil {
			println(err.Error())
			break
		}
		cs = append(cs, c)
	}
	time.Sleep(1 * time.Second)
}
