#!/bin/sh
# Run as root: sh nginx-502-bad-gateway-upstream.sh (nginx 1.22, curl; beside nginx-errors.conf and nginx-upstream.py).
mkdir -p /tmp/nginx-repro
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("/tmp/nginx-repro/app.sock")' && chmod 600 /tmp/nginx-repro/app.sock
timeout 20 python3 nginx-upstream.py &
timeout 20 nginx -p /tmp/nginx-repro -c "$PWD/nginx-errors.conf" &
sleep 1
head -c 3000000 /dev/zero > /tmp/nginx-repro/big
for path in /dead /socket /reset /header; do
  curl -s -o /dev/null -H 'Host: shop.example.com' $([ $path = /upload ] && echo --data-binary @/tmp/nginx-repro/big) http://127.0.0.1:18080$path
done
kill %1 %2
rm -r /tmp/nginx-repro
