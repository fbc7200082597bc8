#!/bin/sh
# Run: sh node-cannot-find-module.sh (Node 20).
dir=$(mktemp -d) && cd "$dir" && mkdir src
echo "require('express')" > src/app.js && node src/app.js
echo "import express from 'express'" > src/app.mjs && node src/app.mjs
echo "import './config'" > src/index.mjs && touch src/config.mjs && node src/index.mjs
node dist/main.js
