#!/bin/sh
# Builds the programs in /srv/app and writes what each printed beside this folder. Needs rustc.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=/srv/app/rust
mkdir -p "$work/src" "$work/bin" && cp "$here"/*.rs "$work/src" && cd "$work" || exit 1
rustc -g -C debuginfo=1 -o bin/orders src/orders.rs && rustc -g -o bin/report src/report.rs || exit 1
RUSTC_BOOTSTRAP=1 rustc -g -Z unstable-options -C symbol-mangling-version=legacy -o bin/legacy src/orders.rs || exit 1
for name in closure display expect assert thread double; do
  RUST_BACKTRACE=1 bin/orders "$name" > "$here/../$name.txt" 2>&1
done
RUST_BACKTRACE=0 bin/orders expect > "$here/../plain.txt" 2>&1
bin/orders overflow > "$here/../overflow.txt" 2>&1
RUST_BACKTRACE=full bin/orders closure > "$here/../full.txt" 2>&1
RUST_BACKTRACE=full bin/legacy closure > "$here/../full-legacy.txt" 2>&1
RUST_BACKTRACE=1 bin/report > "$here/../report.txt" 2>&1
exit 0
