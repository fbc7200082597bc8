#!/bin/sh
# Run: sh git-src-refspec.sh (git 2.39). A branch without a commit, a branch of another name, a tag that is not there, a name that a tag and a branch have; then servers that are not there or hang up.
dir=$(mktemp -d) && cd "$dir" && export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
git init -q -b main one && cd one && git remote add origin https://git.example.com/shop.git && git push -u origin main
git checkout -q -b master && git commit -q --allow-empty -m 1 && git push origin main
git tag v1.0 && git branch v1.0 && git push origin v1.0
https_proxy=http://127.0.0.1:9 git ls-remote https://github.com/example/shop.git
python3 -c "
import socket, subprocess, threading
server = socket.create_server(('127.0.0.1', 0))
def hang_up():
    while True:
        client, _ = server.accept()
        client.recv(1000)
        client.close()
threading.Thread(target=hang_up, daemon=True).start()
for scheme in ('http', 'https'):
    subprocess.run(['git', 'ls-remote', f'{scheme}://127.0.0.1:{server.getsockname()[1]}/shop.git'])
"
