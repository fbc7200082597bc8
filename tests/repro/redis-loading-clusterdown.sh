# bash tests/repro/redis-loading-clusterdown.sh   (redis 7.0, redis-py 8): a server that still reads its dump, and a cluster node without all slots
. "$(dirname "$0")/redis.sh"; start --enable-debug-command yes
cli debug populate 300000 key 100 >/dev/null; cli save >/dev/null; cli shutdown nosave; sleep 1
redis-server --port $PORT --bind 127.0.0.1 --dir "$DIR" --dbfilename "d$PORT.rdb" --key-load-delay 100 --loading-process-events-interval-bytes 1024 >/dev/null 2>&1 & PIDS="$PIDS $!"; sleep 1
cli get a
py <<'P'
import os, redis, traceback
try: redis.Redis(port=int(os.environ["PORT"]), retry=None).get("a")
except Exception: traceback.print_exc()
P
cli info persistence | grep -E 'loading:|loading_eta'
P=$((PORT+1)); start --cluster-enabled yes --cluster-config-file nodes.conf
cli get a; cli cluster info | head -3
P=$P PORT=$P py <<'P'
import os, redis, traceback
try: redis.Redis(port=int(os.environ["PORT"]), retry=None).set("a", 1)
except Exception: traceback.print_exc()
P
