# sh tests/repro/node-unhandled-rejection.sh   (Node 20): promises nobody catches, an error event nobody hears, headers that were sent before
set +e; cd "$(mktemp -d)"
echo 'Promise.reject(new Error("no database"))' > a.js; node a.js
echo 'Promise.reject("no database")' > b.js; node b.js
cat > c.js <<'J'
const client = new (require("events"))();
setTimeout(() => client.emit("error", new Error("Socket closed unexpectedly")), 1);
J
node c.js
cat > d.js <<'J'
const http = require("http");
http.createServer((q, r) => { r.end("x"); r.setHeader("a", "b"); }).listen(0, function () { http.get({ port: this.address().port }); });
J
node d.js
echo 'const o = undefined; o.name' > e.js; node e.js
