#!/bin/sh
# Builds the programs in /srv/app and writes what each printed beside this folder.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=/srv/app
mkdir -p "$work" && cp -r "$here"/* "$work" && cd "$work" || exit 1
export GOPATH=/srv/go GOTRACEBACK=single
go build -o /srv/bin/panics . && go build -o /srv/bin/serve ./serve && go build -o /srv/bin/crash ./crash && go build -o /srv/bin/quit ./quit
for name in goroutine bounds again twice deadlock maps logged wrapped stringer struct error typed; do
  /srv/bin/panics "$name" > "$here/../$name.txt" 2>&1
done
/srv/bin/panics deep 2>&1 | cat > "$here/../overflow.txt"
GOTRACEBACK=system /srv/bin/panics goroutine > "$here/../goroutine-system.txt" 2>&1
/srv/bin/serve > "$here/../serve.txt" 2>&1
/srv/bin/crash > "$here/../crash.txt" 2>&1
/srv/bin/quit > "$here/../quit.txt" 2>&1
go test ./shop > "$here/../test.txt" 2>&1
go build -race -o /srv/bin/raced ./raced && /srv/bin/raced > "$here/../race.txt" 2>&1
exit 0
