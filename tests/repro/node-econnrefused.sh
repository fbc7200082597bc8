#!/bin/sh
# Run: sh node-econnrefused.sh (Node 20; port 13999 must be free).
node -e "fetch('http://localhost:13999/health').catch(error => console.error(error))"
node -e "require('http').get('http://127.0.0.1:13999/health')"
node -e "require('http').get({ host: 'localhost', port: 13999, lookup: (h, o, done) => done(null, [{ address: '::1', family: 6 }, { address: '127.0.0.1', family: 4 }]) }).on('error', error => console.error(error))"
