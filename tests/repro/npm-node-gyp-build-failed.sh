#!/bin/sh
# Run: sh npm-node-gyp-build-failed.sh (node with its headers below /usr or in NODE_DIR, npm's node-gyp, g++, make). A native module whose library has no headers here; no make; no headers of Node.
dir=$(mktemp -d) && cd "$dir" && gyp=$(ls /usr/lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js "$(dirname "$(command -v node)")/../lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js" 2>/dev/null | head -n 1)
printf '{"targets": [{"target_name": "opus", "sources": ["src/opus.cc"]}]}' > binding.gyp && mkdir src && printf '#include <opus/opus.h>\n' > src/opus.cc
printf '{"name": "opus", "version": "1.0.0"}' > package.json
node "$gyp" rebuild --nodedir="${NODE_DIR:-/usr}"
mkdir bin && ln -s "$(command -v node)" "$(command -v python3)" bin && PATH="$dir/bin" bin/node "$gyp" rebuild --nodedir="${NODE_DIR:-/usr}"
node "$gyp" rebuild --disturl=http://nodejs.invalid --devdir="$dir/headers"
