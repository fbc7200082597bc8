#!/bin/sh
# Makes the dumps beside this folder anew: JDK 17 as `java`, a JDK of 21 or later in $JDK21 for virtual threads.
# Addresses, thread numbers and times differ from run to run; the readings must not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
javac -d "$work/17" "$here/Shop.java" "$here/Info.java"
dump() { # NAME OPTIONS OF JSTACK...
    name=$1; what=$2; shift 2
    java -cp "$work/17" -Xmx64m shop.Shop "$what" >/dev/null 2>&1 &
    sleep 2
    jstack "$@" $! >"$here/../$name.txt"
    kill $!
}
dump monitors monitors -l
dump locks locks -l
dump blocked blocked
dump pools pools
java -cp "$work/17" -Xmx64m shop.Info >"$here/../thread-info.txt"
if [ -n "${JDK21:-}" ]; then
    "$JDK21/bin/javac" -d "$work/21" "$here/Virtual.java" "$here/Shop.java"
    "$JDK21/bin/java" -cp "$work/21" -Xmx64m shop.Virtual >/dev/null 2>&1 &
    sleep 2
    "$JDK21/bin/jcmd" $! Thread.dump_to_file -overwrite "$work/text" >/dev/null
    "$JDK21/bin/jcmd" $! Thread.dump_to_file -overwrite -format=json "$work/json" >/dev/null
    cp "$work/text" "$here/../virtual.txt"
    cp "$work/json" "$here/../virtual-json.txt"
    kill $!
    "$JDK21/bin/java" -cp "$work/21" -Xmx64m shop.Shop locks >"$here/../kill-3.txt" 2>&1 &
    sleep 2
    kill -3 $!
    sleep 1
    kill $!
fi
