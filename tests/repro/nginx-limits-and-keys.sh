# bash tests/repro/nginx-limits-and-keys.sh   (root, nginx, openssl, curl): too few connections, a key of another certificate, no rights, headers too big, plain HTTP at the TLS port
set +e; D=$(mktemp -d); chmod 755 "$D"; cd "$D"; P=$((20000 + RANDOM % 20000))
for n in a b; do openssl req -x509 -newkey rsa:2048 -nodes -keyout $n.key -out $n.crt -days 2 -subj /CN=$n 2>/dev/null; done
conf() { printf 'error_log %s/error.log; pid %s/pid; user nobody nogroup; events { worker_connections %s; } http { access_log %s/access.log; server { listen 127.0.0.1:%s%s; %s } }\n' "$D" "$D" "$2" "$D" "$P" "$3" "$1" > n.conf; }
conf "ssl_certificate $D/a.crt; ssl_certificate_key $D/b.key;" 64 " ssl"; nginx -t -c "$D/n.conf"
conf "ssl_certificate $D/a.crt; ssl_certificate_key $D/none.key;" 64 " ssl"; nginx -t -c "$D/n.conf"
conf "ssl_certificate $D/a.crt; ssl_certificate_key $D/a.key; location / { return 200; }" 64 " ssl"; nginx -c "$D/n.conf"; curl -s -o /dev/null -w '%{http_code}\n' http://127.0.0.1:$P/; nginx -c "$D/n.conf" -s stop; sleep 1
mkdir -m 700 secret; echo x > secret/index.html
conf "root $D/secret; location /big { proxy_pass http://127.0.0.1:$((P+1)); proxy_buffer_size 4k; } location /gone { proxy_pass http://127.0.0.1:$((P+2)); }" 64 ""; nginx -c "$D/n.conf"
python3 -c "
import http.server
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(s):
        s.send_response(200); s.send_header('Set-Cookie', 'a='+'x'*9000); s.end_headers()
    def log_message(*a): pass
s=http.server.HTTPServer(('127.0.0.1',$((P+1))),H); s.handle_request()" & sleep 1
python3 -c "
import socket,time
s=socket.create_server(('127.0.0.1',$((P+2)))); c,_=s.accept(); time.sleep(4)" & sleep .5
curl -s -o /dev/null -w '%{http_code}\n' http://127.0.0.1:$P/; curl -s -o /dev/null -w '%{http_code}\n' http://127.0.0.1:$P/big; curl -s -m 1 http://127.0.0.1:$P/gone; sleep .5; cat access.log error.log; nginx -c "$D/n.conf" -s stop; sleep 1
conf "location / { proxy_pass http://127.0.0.1:$P; }" 20 ""; nginx -c "$D/n.conf"; curl -s -o /dev/null -m 4 -w '%{http_code}\n' http://127.0.0.1:$P/; sleep 1; grep -m2 worker_connections error.log; nginx -c "$D/n.conf" -s stop; wait
