#!/bin/sh
# Run: sh go-main-module-not-found.sh (go). Commands in a folder without go.mod.
dir=$(mktemp -d) && cd "$dir" && export HOME="$dir"
printf 'package main\n\nimport "example.com/shop/till"\n\nfunc main() { till.Open() }\n' > main.go
go build
go run main.go
go get github.com/google/uuid
go test ./...
touch Gopkg.lock && go build
