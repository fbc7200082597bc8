# Sourced by the redis-*.sh beside it: a throw-away redis-server (7.0) on a free loopback port; stopped at exit.
DIR=$(mktemp -d) PORT=$((20000 + RANDOM % 20000)) PIDS=
start() { redis-server --port "${P:-$PORT}" --bind 127.0.0.1 --dir "$DIR" --logfile "$DIR/log-${P:-$PORT}" --dbfilename "d${P:-$PORT}.rdb" "$@" >/dev/null 2>&1 & PIDS="$PIDS $!"; sleep 1; }
cli() { redis-cli -p "${P:-$PORT}" "$@"; }
py() { PORT=$PORT ${PYTHON:-python3} -; }
trap 'kill -9 $PIDS 2>/dev/null' EXIT
