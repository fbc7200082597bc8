#!/bin/sh
# Run as root: sh docker-permission-denied-docker-sock.sh (Docker client 28.2). A socket of mode 0660 stands for the daemon's.
dir=$(mktemp -d) && chmod 755 "$dir"
python3 -c 'import os, socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o660)' "$dir/docker.sock"
for args in "ps" "run hello-world"; do
  timeout 20 setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$dir" docker -H "unix://$dir/docker.sock" $args
done
rm -r "$dir"
