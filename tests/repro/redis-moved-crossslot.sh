# bash tests/repro/redis-moved-crossslot.sh   (redis 7.0, redis-py 8): two cluster nodes, a client that knows nothing of clusters
. "$(dirname "$0")/redis.sh"; start --cluster-enabled yes --cluster-config-file n1 --cluster-port $((PORT+10000)); A=$PORT
cli get a; cli cluster addslotsrange 0 8000 >/dev/null; cli get a
P=$((A+1)); start --cluster-enabled yes --cluster-config-file n2 --cluster-port $((P+10000)); cli cluster addslotsrange 8001 16383 >/dev/null; cli cluster meet 127.0.0.1 $A $((A+10000)) >/dev/null; sleep 3
P=$A; cli get a; cli mget a b; cli select 1; cli mset '{u}a' 1 '{u}b' 2
PORT=$A py <<'P'
import os, redis, traceback
for f in (lambda r: r.get("a"), lambda r: r.mget("b", "c")):
    try: f(redis.Redis(port=int(os.environ["PORT"])))
    except Exception: traceback.print_exc()
P
