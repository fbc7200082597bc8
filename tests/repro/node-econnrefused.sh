#!/bin/sh
# Run: sh node-econnrefused.sh (Node 20; port 13999 must be free).
node -e "fetch('http://localhost:13999/health').catch(error => console.error(error))"
node -e "require('http').get('http://127.0.0.1:13999/health')"
