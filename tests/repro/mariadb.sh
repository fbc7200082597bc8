# Sourced by the mysql-*.sh beside it: a throw-away MariaDB (10.11, messages and codes as in MySQL where said so) on a free loopback port; stopped at exit.
DIR=$(mktemp -d) PORT=$((20000 + RANDOM % 20000)); chmod 777 "$DIR"
as() { if [ "$(id -u)" = 0 ]; then runuser -u nobody -- "$@"; else "$@"; fi; }
as mariadb-install-db --no-defaults --datadir="$DIR/data" --auth-root-authentication-method=normal --skip-test-db >/dev/null 2>&1
start() { as mariadbd --no-defaults --datadir="$DIR/data" --port=$PORT --bind-address=127.0.0.1 --socket="$DIR/s" --log-error="$DIR/log" --pid-file="$DIR/pid" "$@" & PID=$!; for i in $(seq 50); do sleep .2; root -e 'select 1' >/dev/null 2>&1 && break; done; root -e 'create database if not exists shop' 2>/dev/null; }
root() { mariadb --no-defaults -S "$DIR/s" -uroot "$@"; }
tcp() { mariadb --no-defaults -h127.0.0.1 -P$PORT "$@"; }
py() { PORT=$PORT ${PYTHON:-python3} -; }
stop() { root -e shutdown 2>/dev/null; wait "$PID"; }
trap 'stop' EXIT
