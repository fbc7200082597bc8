// Run: go run go-nil-pointer-dereference-http.go (Go 1.19)
package main

import (
	"net/http"
	"net/http/httptest"
)

type S struct{ Name string }

func main() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var s *S
		w.Write([]byte(s.Name))
	}))
	_, err := http.Get(srv.URL)
	println(err.Error())
}
