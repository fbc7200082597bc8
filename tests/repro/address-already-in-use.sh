#!/bin/sh
# Run: sh address-already-in-use.sh (Node 20, Python 3.11, nginx 1.22; port 13000 must be free).
timeout 20 python3 -m http.server 13000 --bind 127.0.0.1 > /dev/null 2>&1 &
sleep 1
node -e 'require("http").createServer().listen(13000, "127.0.0.1")'
python3 -m http.server 13000 --bind 127.0.0.1
conf=$(mktemp) && echo 'events {} http { server { listen 127.0.0.1:13000; } }' > "$conf" && nginx -c "$conf"
