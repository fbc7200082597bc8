# bash tests/repro/linux-fork-read-only-arguments.sh   (root): no process left for a user, a file system that is read-only, arguments without end, carriage returns in a script
set +e; D=$(mktemp -d); chmod 777 "$D"
runuser -u nobody -- bash -c 'ulimit -u 1; ls / | cat'
runuser -u nobody -- bash -c 'ulimit -u 1; exec python3 -c "
import os, subprocess, threading
for f in (os.fork, lambda: subprocess.run([\"ls\"]), lambda: threading.Thread(target=print).start()):
    try: f()
    except Exception as e: print(type(e).__name__ + \":\", e)"'
mkdir "$D/ro"; mount -t tmpfs -o ro none "$D/ro"; touch "$D/ro/x"; mkdir "$D/ro/y"; python3 -c "open('$D/ro/x','w')"; umount "$D/ro"
/bin/ls $(seq 1 400000) 2>&1 | tail -1
printf '#!/bin/bash\r\necho hi\r\n' > "$D/crlf.sh"; chmod +x "$D/crlf.sh"; "$D/crlf.sh"; bash -c "$D/crlf.sh"; python3 -c "import subprocess; subprocess.run(['$D/crlf.sh'])" 2>&1 | tail -1
printf 'if true\r\nthen echo\r\nfi\r\n' | bash
