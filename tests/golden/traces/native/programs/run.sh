#!/bin/sh
# Makes the golden traces anew: g++, gdb, lldb and their sanitizers; builds below /srv/till so that no path is anyone's own.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$(dirname "$here")}
mkdir -p /srv/till && cd /srv/till && cp "$here"/*.c "$here"/*.cpp . || exit 1
export ASAN_OPTIONS=allocator_may_return_null=0 LANG=C.UTF-8
g++ -g -O0 -fstack-protector-all -pthread -o shop shop.cpp
g++ -g -O2 -pthread -o shop-optimised shop.cpp
g++ -O2 -s -rdynamic -o stripped shop.cpp -pthread
g++ -g -O0 -fsanitize=address -fno-omit-frame-pointer -pthread -o shop-asan shop.cpp
g++ -g -O0 -fsanitize=undefined -pthread -o shop-ubsan shop.cpp
g++ -g -O0 -fsanitize=thread -pthread -o shop-tsan shop.cpp
gcc -g -O0 -rdynamic -o printed printed.c
gdb_of() { gdb -q -nx -batch -ex 'set debuginfod enabled off' -ex 'set width 0' -ex 'set style enabled off' -ex run -ex "${3:-bt}" --args "./$1" "$2" 2>&1; }
gdb_of shop null > "$out/gdb-null.txt"
gdb_of shop range > "$out/gdb-uncaught.txt"
gdb_of shop assert 'thread apply all bt' > "$out/gdb-threads-assert.txt"
gdb_of shop double-free > "$out/gdb-double-free.txt"
gdb_of shop-optimised deep 'bt 12' > "$out/gdb-recursion.txt"
gdb_of stripped null > "$out/gdb-stripped.txt"
gdb -q -nx -batch -ex 'set debuginfod enabled off' -ex 'set width 80' -ex run -ex 'bt full' --args ./shop smash > "$out/gdb-full-wrapped.txt" 2>&1
lldb -b -o run -k bt -k quit -- ./shop null 2>&1 | sed '/^Traceback/,/^ModuleNotFound/d' > "$out/lldb-null.txt"
for how in overflow after-free leak null double-free; do ./shop-asan "$how" > "$out/asan-$how.txt" 2>&1; done
UBSAN_OPTIONS=print_stacktrace=1 ./shop-ubsan undefined > "$out/ubsan.txt" 2>&1
./shop-tsan race > "$out/tsan-race.txt" 2>&1
./printed > "$out/backtrace-symbols.txt" 2>&1
{ ./shop range; } > "$out/terminate.txt" 2>&1
{ ./shop assert; } > "$out/assert.txt" 2>&1
{ ./shop smash; } > "$out/smash.txt" 2>&1
if command -v valgrind > /dev/null; then valgrind ./shop after-free > "$out/valgrind.txt" 2>&1; fi
