# bash tests/repro/postgres-recovery-and-wal.sh   (root, PostgreSQL 15): a standby that cancels a query, and a file system for WAL that is full
. "$(dirname "$0")/postgres.sh"; start -c wal_level=replica -c max_wal_senders=4
psql -qc 'create table t as select generate_series(1,1000) a'
B=$(dirname "$PGDATA")/standby; as "$BIN/pg_basebackup" -h 127.0.0.1 -U postgres -D "$B" -R -X stream
S=$((PGPORT+1)); as "$BIN/pg_ctl" -w -D "$B" -l "$B/log" -o "-p $S -k $(dirname "$PGDATA") -c listen_addresses=127.0.0.1 -c max_standby_streaming_delay=500ms" start >/dev/null
psql -p $S -c "begin isolation level repeatable read; select count(*) from t; select pg_sleep(6), count(*) from t" & sleep 1
psql -qc 'delete from t where a<900' -c 'vacuum t'; wait %1 2>/dev/null; sleep 1
psql -p $S -c "insert into t values (1)"
as "$BIN/pg_ctl" -m immediate -D "$B" stop >/dev/null; stop
mkdir "$(dirname "$PGDATA")/small"; mount -t tmpfs -o size=48m,mode=777 none "$(dirname "$PGDATA")/small"
as cp -r "$PGDATA/pg_wal" "$(dirname "$PGDATA")/small/w"; as rm -r "$PGDATA/pg_wal"; as ln -s "$(dirname "$PGDATA")/small/w" "$PGDATA/pg_wal"
start -c max_wal_size=2GB; psql -qc 'create table big as select g, repeat(g::text,200) from generate_series(1,200000) g' 2>&1 | head -3
grep -E 'PANIC|FATAL' "$PGDATA/server.log" | tail -4; stop 2>/dev/null; umount "$(dirname "$PGDATA")/small"
