#!/bin/sh
# Run as root: sh linux-no-space-left-inodes.sh (Linux 6, Node 20). A small tmpfs runs out of inodes, then of blocks.
dir=$(mktemp -d) && mount -t tmpfs -o size=1m,nr_inodes=20 tmpfs "$dir" && cd "$dir" || exit 1
for i in $(seq 25); do touch "session-$i"; done
df -h . && df -i .
python3 -c 'open("report.csv", "w")'
rm session-* && dd if=/dev/zero of=big bs=1M count=3
node -e "require('fs').writeFileSync('report.csv', 'a'.repeat(100))"
cd / && umount "$dir"
