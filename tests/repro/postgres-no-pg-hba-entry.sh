# bash tests/repro/postgres-no-pg-hba-entry.sh   (PostgreSQL 15)
. "$(dirname "$0")/postgres.sh"; start
psql -qc "create role app login password 'p'" -c 'create database shop'
printf 'host postgres postgres 127.0.0.1/32 trust\nlocal all all peer\nhost shop app 127.0.0.1/32 scram-sha-256\n' > "$PGDATA/pg_hba.conf"; as "$BIN/pg_ctl" reload >/dev/null; sleep 1
psql -U app -d postgres -c 'select 1'
PGPASSWORD=wrong psql -U app -d shop -c 'select 1'
psql -w -U app -d shop -c 'select 1'
PGHOST=$(dirname "$PGDATA") psql -U postgres -c 'select 1'
PGPASSWORD=p psql -U nobody2 -d shop -c 'select 1'
PGPASSWORD=p psql "sslmode=require user=app dbname=shop" -c 'select 1'
tail -12 "$PGDATA/server.log"
