// Waits in several ways until it is asked for its goroutines with SIGQUIT.
package main

import (
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

func accept() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	_, _ = listener.Accept()
}

func main() {
	var lock sync.Mutex
	lock.Lock()
	go accept()
	go func() { lock.Lock() }()
	go func() { select {} }()
	go func() {
		time.Sleep(300 * time.Millisecond)
		_ = syscall.Kill(os.Getpid(), syscall.SIGQUIT)
	}()
	<-make(chan int)
}
