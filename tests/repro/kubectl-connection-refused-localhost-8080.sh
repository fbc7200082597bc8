#!/bin/sh
# Run: sh kubectl-connection-refused-localhost-8080.sh (kubectl 1.32; ports 8080 and 16443 must be free).
KUBECONFIG=/dev/null timeout 20 kubectl get pods
config=$(mktemp)
printf 'apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: "https://127.0.0.1:16443"}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: x}}]\n' > "$config"
KUBECONFIG=$config timeout 20 kubectl get pods
rm "$config"
