# bash tests/repro/postgres-too-many-clients.sh   (PostgreSQL 15): max_connections 6, all taken by sleeping sessions
. "$(dirname "$0")/postgres.sh"; start -c max_connections=6 -c superuser_reserved_connections=2
psql -qc "create role app login" -c "create role lim login connection limit 1"
for i in 1 2 3 4; do psql -U app -c 'select pg_sleep(4)' >/dev/null & done; sleep 1
psql -U app -c 'select 1'
for i in 1 2; do psql -c 'select pg_sleep(3)' >/dev/null & done; sleep 1
psql -c 'select 1'; sleep 4
psql -U lim -c 'select pg_sleep(2)' >/dev/null & sleep 1; psql -U lim -c 'select 1'; wait
