# bash tests/repro/redis-misconf-rdb.sh   (redis 7.0): the dump cannot be written (its name is a folder: rename fails)
. "$(dirname "$0")/redis.sh"; start --save '1 1'
mkdir "$DIR/d$PORT.rdb" && touch "$DIR/d$PORT.rdb/x"; cli set a 1; sleep 3; cli bgsave; sleep 1; cli set a 2; cli info persistence | grep -E 'last_bgsave_status'
grep -iE 'sav|rdb|error' "$DIR/log-$PORT"; py <<'P'
import os, redis
redis.Redis(port=int(os.environ["PORT"])).set("a", 1)
P
