#!/bin/sh
# Prints the traces beside this folder again. Ruby 3.1 or later; the programs run from a neutral folder.
set -u
here=$(cd "$(dirname "$0")" && pwd)
home=/srv/shop-ruby
rm -rf "$home" && mkdir -p "$home" && cp -r "$here"/. "$home" && cd "$home" || exit 1
for name in chained suggested recursion threads logged listed evaluated syntax ended tested; do
  ruby "$home/$name.rb" > "$here/../$name.txt" 2>&1
done
rm -rf "$home"
