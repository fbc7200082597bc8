#!/bin/sh
# Runs every program with each interpreter there is and writes what it printed beside this folder. From a folder /srv/shop.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=/srv/shop
mkdir -p "$work" && cp "$here"/*.lua "$work" && cd "$work" || exit 1
for name in orders recursion tail missing rethrown; do
  for lua in lua5.4 lua5.1 luajit; do
    command -v "$lua" > /dev/null && "$lua" "$name.lua" > "$here/../$name-$lua.txt" 2>&1
  done
done
