#!/bin/sh
# Run: sh nginx-host-not-found-in-upstream.sh (nginx 1.22).
conf=$(mktemp)
echo 'events {} http { server { listen 127.0.0.1:18090; location / { proxy_pass http://backend:8080; } } }' > "$conf"
nginx -t -c "$conf"
rm "$conf"
