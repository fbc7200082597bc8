# bash tests/repro/redis-oom-maxmemory.sh   (redis 7.0, redis-py 8)
. "$(dirname "$0")/redis.sh"; start --maxmemory 2mb --save ''
cli eval "for i=1,100000 do redis.call('set',i,string.rep('x',100)) end" 0
cli set a b; cli lpush jobs 1; cli info memory | grep -E 'maxmemory|used_memory:'
py <<'P'
import os, redis
r = redis.Redis(port=int(os.environ["PORT"]))
r.set("a", "b")
P
