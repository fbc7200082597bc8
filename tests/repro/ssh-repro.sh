#!/bin/sh
# Run as root: sh ssh-repro.sh (OpenSSH 9.2 with server, git 2.39). Shows git-permission-denied-publickey and ssh-host-identification-changed.
dir=$(mktemp -d) && cd "$dir" && mkdir -p /run/sshd
for key in host1 host2 id; do ssh-keygen -q -t ed25519 -N '' -f $key; done
options="-F none -o UserKnownHostsFile=$dir/known_hosts -o BatchMode=yes -o IdentitiesOnly=yes -i $dir/id"
for host in host1 host2; do
  timeout 30 /usr/sbin/sshd -D -o KbdInteractiveAuthentication=no -p 12222 -o ListenAddress=127.0.0.1 -h "$dir/$host" -o PidFile=none -o AuthorizedKeysFile=none -o PasswordAuthentication=no -f /dev/null &
  server=$! && sleep 1
  timeout 10 ssh $options -o StrictHostKeyChecking=accept-new -p 12222 127.0.0.1 true
  GIT_SSH_COMMAND="ssh $options" timeout 10 git clone ssh://git@127.0.0.1:12222/shop.git
  kill $server && sleep 1
done
