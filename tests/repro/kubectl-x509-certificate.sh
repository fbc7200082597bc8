#!/bin/sh
# Run: sh kubectl-x509-certificate.sh (kubectl 1.32, OpenSSL 3.0). A TLS server stands for the API server.
dir=$(mktemp -d) && cd "$dir" || exit 1
make_config() {
  printf 'apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: "https://127.0.0.1:%s"}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: x}}]\n' "$1" > config
}
for san in IP:127.0.0.1 IP:10.96.0.1; do
  openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=kube-apiserver -addext "subjectAltName=$san" 2> /dev/null
  timeout 30 openssl s_server -accept 16443 -key key.pem -cert cert.pem -quiet -www > /dev/null 2>&1 &
  server=$! && sleep 1 && make_config 16443
  KUBECONFIG=config timeout 20 kubectl get pods 2>&1 | tail -1
  kill $server && sleep 1
done
timeout 30 python3 -m http.server 16444 --bind 127.0.0.1 > /dev/null 2>&1 &
server=$! && sleep 1 && make_config 16444
KUBECONFIG=config timeout 20 kubectl get pods 2>&1 | tail -1
kill $server
