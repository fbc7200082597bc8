# bash tests/repro/redis-wrongtype-busy-clients.sh   (redis 7.0, redis-py 8): a list read as a string, a script that never ends, and one client too many
. "$(dirname "$0")/redis.sh"; start --busy-reply-threshold 300
cli lpush queue a >/dev/null; cli get queue
cli eval 'while true do end' 0 >/dev/null 2>&1 & sleep 1; cli get queue
py <<'P'
import os, redis, traceback
r = redis.Redis(port=int(os.environ["PORT"]), retry=None)
try: r.get("queue")
except Exception: traceback.print_exc()
r.script_kill()
try: r.get("queue")
except Exception: traceback.print_exc()
P
cli config set maxclients 3 >/dev/null
py <<'P'
import os, redis, traceback
held = [redis.Redis(port=int(os.environ["PORT"]), retry=None) for _ in range(6)]
try:
    for one in held: one.ping(); one.connection = one.connection_pool.get_connection()
except Exception: traceback.print_exc()
P
tail -2 "$DIR/log-$PORT"
