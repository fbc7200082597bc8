#!/bin/sh
# Run: sh npm-enoent-package-json.sh (Node 20, npm 11).
dir=$(mktemp -d) && cd "$dir" && npm start
echo '{"name":"shop-web","version":"1.0.0"}' > package.json && npm start
