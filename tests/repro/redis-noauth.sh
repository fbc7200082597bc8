# bash tests/repro/redis-noauth.sh   (redis 7.0, redis-py 8)
. "$(dirname "$0")/redis.sh"; start --requirepass secret
cli get a; cli -a wrong get a; cli --user app --pass secret get a
py <<'P'
import os, redis, traceback
for kw in ({}, {"password": "wrong"}):
    try: redis.Redis(port=int(os.environ["PORT"]), **kw).get("a")
    except Exception: traceback.print_exc()
P
P=$((PORT+1)); start; cli auth secret; cli auth default x; cli acl setuser app on '>p' '~app:*' +get; cli --user app --pass p set app:1 x; cli --user app --pass p get other
