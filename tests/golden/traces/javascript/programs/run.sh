#!/bin/sh
# Runs the programs and writes what they print, one file each, into the folder that is named (default: the golden traces).
# Needs node 20, npm (express, mocha, jest, graphql, webpack), gjs (SpiderMonkey) and jsc (JavaScriptCore).
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$(dirname "$here")}
shop=/srv/shop
mkdir -p $shop && cp -r "$here"/*.js "$here"/src $shop/ && cd $shop || exit 1
[ -d node_modules/webpack-cli ] || npm install --no-audit --no-fund --silent express@4.18.2 mocha@10 jest@29 graphql@16 webpack@5 webpack-cli@5
keep() { name=$1; shift; "$@" >"$out/$name.txt" 2>&1; }
for name in cause aggregate asynchronous evaluated server loads-broken system rejected-value graph warning; do
  keep "node-$name" node $name.js
done
keep node-recursion node --stack-trace-limit=40 recursion.js
keep node-engines node engines.js
keep gjs-engines gjs engines.js
keep gjs-uncaught gjs engines-uncaught.js
keep jsc-engines jsc engines.js
keep jsc-uncaught jsc engines-uncaught.js
keep mocha node_modules/.bin/mocha --no-color cart.test.js
keep jest node_modules/.bin/jest --colors=false cart.test.js
pack() { node_modules/.bin/webpack --entry ./bundle-entry.js --target node --output-path $shop/dist "$@" >/dev/null; }
pack --mode development --devtool eval-source-map --output-filename dev.js
keep webpack-development node dist/dev.js
rm -f dist/main.*
pack --mode production --devtool source-map --output-filename 'main.[contenthash:8].js'
keep webpack-production node dist/main.*.js
keep webpack-source-map node --enable-source-maps dist/main.*.js
# jest tells how long it took and in which order
sed -i -E 's/[0-9.]+ m?s\b/1 s/' "$out/jest.txt" "$out/mocha.txt"
sed -i -E 's/\(node:[0-9]+\)/(node:4711)/; s/gjs:[0-9]+\)/gjs:4711)/; s/: [0-9:.]{12}: JS/: 07:08:09.123: JS/' "$out"/*.txt
