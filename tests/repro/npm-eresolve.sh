#!/bin/sh
# Run: sh npm-eresolve.sh (Node 20, npm 11; needs a package index).
dir=$(mktemp -d) && cd "$dir" && echo '{"name":"shop-web","version":"1.0.0","dependencies":{"react":"^18.2.0"}}' > package.json
npm install @material-ui/core@4.12.4
