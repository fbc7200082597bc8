# sh tests/repro/linux-inotify-watches.sh   (root, Node): more instances and watches than the kernel allows this user; the limits of this user are lowered in a user namespace only
set +e; cd "$(mktemp -d)"; mkdir d; cat > w.js <<'J'
const fs = require("fs");
const all = [];
for (let i = 0; i < 2000; i++) { fs.mkdirSync(`d/${i}`, { recursive: true }); all.push(fs.watch(`d/${i}`)); }
J
unshare -U -r sh -c 'echo 20 > /proc/sys/user/max_inotify_watches; cat /proc/sys/user/max_inotify_watches; node w.js'
unshare -U -r sh -c 'echo 0 > /proc/sys/user/max_inotify_instances; node w.js; tail -f w.js & sleep 1; kill $!'
