// Run: node node-err-ossl-evp-unsupported.js (Node 17 or later); webpack 4 makes the same call.
require('crypto').createHash('md4')
