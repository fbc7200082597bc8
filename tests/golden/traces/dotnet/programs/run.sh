#!/bin/sh
# Makes the traces beside this folder that Mono can make: mcs and mono must be installed. Needs nothing else.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=/tmp/acme-orders
mkdir -p "$work/src"
cp "$here/Orders.cs" "$work/src/"
cd "$work"
mcs -nologo -debug -out:orders.exe src/Orders.cs
export LANG=C.UTF-8
unhandled() { mono ${3:-} orders.exe "$1" >/dev/null 2>"$here/../$2.txt" || true; }
printed() { mono --debug orders.exe "$1" print >"$here/../$2.txt"; }
unhandled Nested mono-nested-unhandled --debug
unhandled Async mono-async-without-symbols
unhandled Group mono-aggregate --debug
unhandled Lambda mono-lambda-chinese --debug
unhandled Thread mono-thread --debug
printed Iterator mono-iterator
printed Generic mono-generic-ref
printed Interface mono-explicit-interface
printed Dispose mono-dispose
printed StaticConstructor mono-type-initializer
printed Constructor mono-constructor
printed Operator mono-operator
printed Reflected mono-reflected
printed Recursion mono-recursion
printed Socket mono-socket
printed Cast mono-cast
mono --debug orders.exe Logged >"$here/../mono-log4net.txt"
