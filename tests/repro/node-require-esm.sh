# sh tests/repro/node-require-esm.sh   (Node 20): require of an ES module, import in CommonJS, __dirname in a module, exports that hide a path
set +e; cd "$(mktemp -d)"; mkdir -p node_modules/pure/lib
echo '{"name":"pure","type":"module","exports":"./index.js"}' > node_modules/pure/package.json
echo 'await 0; export default 1' > node_modules/pure/index.js; echo 'export default 2' > node_modules/pure/lib/x.js
echo 'require("pure")' > a.cjs; node --no-experimental-require-module a.cjs; node a.cjs
echo 'import x from "pure"' > b.js; echo '{"type":"commonjs"}' > package.json; node b.js
echo 'console.log(__dirname)' > c.mjs; node c.mjs
echo 'require("x")' > d.mjs; node d.mjs
echo 'import("pure/lib/x.js")' > e.mjs; node e.mjs
echo 'import y from "./c"' > f.mjs; node f.mjs
