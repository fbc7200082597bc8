#!/bin/sh
# Run: sh tls-certificates.sh (OpenSSL 3.0, curl 7.88, Node 20, Python 3.11, Go 1.19). Shows tls-missing-intermediate, tls-certificate-expired, tls-wrong-version-number.
dir=$(mktemp -d) && cd "$dir"
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 3650 -subj '/CN=Example Root' 2> /dev/null
openssl req -newkey rsa:2048 -nodes -keyout int.key -out int.csr -subj '/CN=Example Intermediate' 2> /dev/null
openssl req -newkey rsa:2048 -nodes -keyout leaf.key -out leaf.csr -subj '/CN=localhost' 2> /dev/null
echo 'basicConstraints=CA:TRUE' > int.ext && echo 'subjectAltName=DNS:localhost' > leaf.ext
openssl x509 -req -in int.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out int.pem -days 3000 -extfile int.ext 2> /dev/null
openssl x509 -req -in leaf.csr -CA int.pem -CAkey int.key -CAcreateserial -out leaf.pem -days 90 -extfile leaf.ext 2> /dev/null
openssl x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out expired.pem -days -1 -extfile leaf.ext 2> /dev/null
printf 'package main\nimport ("fmt"; "net/http"; "os")\nfunc main() { _, err := http.Get(os.Args[1]); fmt.Println(err) }\n' > get.go
probe() {
  curl -sS --cacert ca.pem "https://localhost:$1/"
  NODE_EXTRA_CA_CERTS=ca.pem node -e "require('https').get('https://localhost:$1/').on('error', error => console.error(error))"
  SSL_CERT_FILE=ca.pem python3 -c "import urllib.request; urllib.request.urlopen('https://localhost:$1/')"
  SSL_CERT_FILE=ca.pem go run get.go "https://localhost:$1/"
  openssl s_client -connect "localhost:$1" -servername localhost -CAfile ca.pem < /dev/null 2>&1 | grep -i verif
}
timeout 60 openssl s_server -accept 17001 -key leaf.key -cert leaf.pem -quiet -www > /dev/null 2>&1 &
timeout 60 openssl s_server -accept 17002 -key leaf.key -cert expired.pem -quiet -www > /dev/null 2>&1 &
timeout 60 python3 -m http.server 17003 --bind 127.0.0.1 > /dev/null 2>&1 &
sleep 1
for port in 17001 17002 17003; do echo "port $port" && probe $port; done
kill %1 %2 %3
