# sh tests/repro/npm-registry-errors.sh   (npm 11, an index): a version and a package that are not there, a registry nobody listens at, one with a certificate of its own
set +e; cd "$(mktemp -d)"; echo '{}' > package.json; export npm_config_fetch_retries=0 npm_config_update_notifier=false
npm install react@999 2>&1 | grep -v 'complete log'; npm install @example-shop-internal/no-such-thing-4711 2>&1 | grep -v 'complete log'
npm install left-pad --registry http://127.0.0.1:9 2>&1 | grep -v 'complete log'
openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
node -e 'require("https").createServer({key:require("fs").readFileSync("k.pem"),cert:require("fs").readFileSync("c.pem")},(q,r)=>r.end("{}")).listen(14873)' & S=$!; sleep 1
npm install left-pad --registry https://localhost:14873 2>&1 | grep -v 'complete log'; kill $S
node -e 'require("net").createServer(s=>s.on("data",()=>s.resetAndDestroy())).listen(14874)' & S=$!; sleep 1
npm install left-pad --registry http://localhost:14874 2>&1 | grep -v 'complete log'; kill $S
echo '{"engines":{"node":">=99"},"name":"x","version":"1.0.0"}' > package.json; npm install --engine-strict 2>&1 | grep -v 'complete log'
