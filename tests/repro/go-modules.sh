# sh tests/repro/go-modules.sh   (Go 1.19): no module, an import nobody provides, go.sum without a line, a proxy nobody listens at, a newer Go wanted
set +e; cd "$(mktemp -d)"; export GOFLAGS= GOPROXY=http://127.0.0.1:9 GONOSUMDB=* GOMODCACHE=$(pwd)/cache
printf 'package main\nimport "example.com/shop/cart"\nfunc main() { cart.Do() }\n' > main.go
go run main.go; go build ./...; go mod init example.com/app 2>/dev/null; go build ./...
go mod tidy; go get example.com/shop/cart
printf 'module example.com/app\ngo 1.19\nrequire example.com/shop/cart v1.2.0\n' > go.mod; go build ./...; go mod download
printf 'module example.com/app\ngo 1.99\n' > go.mod; printf 'package main\nfunc main() { for i := range 3 { _ = i } }\n' > main.go; go build ./...
