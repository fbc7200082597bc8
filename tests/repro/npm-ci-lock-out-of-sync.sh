#!/bin/sh
# Run: sh npm-ci-lock-out-of-sync.sh (Node 20, npm 11; needs a package index).
dir=$(mktemp -d) && cd "$dir" && echo '{"name":"a","version":"1.0.0","dependencies":{"left-pad":"1.3.0"}}' > package.json
npm ci
npm install --package-lock-only --no-audit
echo '{"name":"a","version":"1.0.0","dependencies":{"left-pad":"1.2.0","is-odd":"3.0.1"}}' > package.json
npm ci
