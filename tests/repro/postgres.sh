# Sourced by the postgres-*.sh beside it: a throw-away PostgreSQL (15, as the user nobody when root) on a free loopback port; stopped at exit.
PGDATA=$(mktemp -d)/data PGPORT=$((20000 + RANDOM % 20000)) PGHOST=127.0.0.1 PGUSER=postgres PGDATABASE=postgres LC_ALL=C.UTF-8
export PGDATA PGPORT PGHOST PGUSER PGDATABASE LC_ALL
BIN=$(dirname "$(readlink -f "$(command -v postgres || ls -d /usr/lib/postgresql/*/bin/postgres | tail -1)")")
as() { if [ "$(id -u)" = 0 ]; then runuser -u nobody -- "$@"; else "$@"; fi; }
chmod 777 "$(dirname "$PGDATA")"
as "$BIN/initdb" -A trust -U postgres "$PGDATA" >/dev/null
start() { as "$BIN/pg_ctl" -w -l "$PGDATA/server.log" -o "-p $PGPORT -k $(dirname "$PGDATA") -c listen_addresses=127.0.0.1 $*" start >/dev/null; }
stop() { as "$BIN/pg_ctl" -m fast stop >/dev/null; }
trap 'stop 2>/dev/null' EXIT
