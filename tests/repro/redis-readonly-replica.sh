# bash tests/repro/redis-readonly-replica.sh   (redis 7.0, redis-py 8): a write to a replica; replica with a stale master; masterauth missing
. "$(dirname "$0")/redis.sh"; start --requirepass s; A=$PORT
P=$((A+1)); start --replicaof 127.0.0.1 $A; sleep 2; cli set a b; cli role; grep -iE 'auth|master' "$DIR/log-$P" | tail -3
cli config set masterauth s; sleep 2; cli get a; cli eval "return redis.call('set','a','b')" 0; cli role | head -5
cli config set replica-serve-stale-data no; redis-cli -p $A -a s --no-auth-warning shutdown nosave; sleep 2; cli get a; cli info replication | grep master_link
PORT=$P py <<'P'
import os, redis
redis.Redis(port=int(os.environ["PORT"])).set("a", 1)
P
