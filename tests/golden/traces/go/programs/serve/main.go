// A handler that panics behind a middleware; the server prints it and goes on.
package main

import (
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
)

type router struct{ next http.Handler }

func (r *router) ServeHTTP(w http.ResponseWriter, q *http.Request) { r.next.ServeHTTP(w, q) }

func order(_ http.ResponseWriter, q *http.Request) {
	parts := strings.Split(q.URL.Path, "/")
	log.Println(parts[3])
}

func main() {
	log.SetFlags(log.LstdFlags | log.Lmicroseconds)
	server := httptest.NewServer(&router{http.HandlerFunc(order)})
	defer server.Close()
	_, _ = http.Get(server.URL + "/orders")
}
