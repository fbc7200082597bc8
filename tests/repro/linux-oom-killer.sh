#!/bin/sh
# Run as root: sh linux-oom-killer.sh (Linux with cgroup v1 or v2). A process of 200 MB in a group limited to 64 MB.
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  group=/sys/fs/cgroup/oom-repro && mkdir -p $group && echo 64M > $group/memory.max
else
  group=/sys/fs/cgroup/memory/oom-repro && mkdir -p $group && echo 64M > $group/memory.limit_in_bytes
fi
sh -c "echo \$\$ > $group/cgroup.procs; exec python3 -c 'bytearray(200 << 20)'"
echo "exit code $?"
dmesg | grep -E 'oom-kill|Killed process' | tail -2
rmdir $group
