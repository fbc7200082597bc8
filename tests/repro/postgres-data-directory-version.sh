# bash tests/repro/postgres-data-directory-version.sh   (PostgreSQL 15): a data directory of another major version (its PG_VERSION is changed), of root, with open rights, and a stale lock
. "$(dirname "$0")/postgres.sh"
echo 13 > "$PGDATA/PG_VERSION"; start; cat "$PGDATA/server.log"; : > "$PGDATA/server.log"; echo 15 > "$PGDATA/PG_VERSION"
chmod 755 "$PGDATA"; start; cat "$PGDATA/server.log"; : > "$PGDATA/server.log"; chmod 700 "$PGDATA"; start; as "$BIN/postgres" -D "$PGDATA"; echo > "$PGDATA/server.log"
as "$BIN/initdb" "$PGDATA"
