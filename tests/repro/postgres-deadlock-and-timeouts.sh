# bash tests/repro/postgres-deadlock-and-timeouts.sh   (PostgreSQL 15): deadlock, lock_timeout, statement_timeout, idle in transaction
. "$(dirname "$0")/postgres.sh"; start
psql -qc 'create table account (id int primary key, balance int)' -c 'insert into account values (1, 0), (2, 0)'
tx() { printf "begin;\nupdate account set balance = 1 where id = $1;\nselect pg_sleep(1);\nupdate account set balance = 1 where id = $2;\ncommit;\n" | psql -q >/dev/null; }
tx 1 2 & tx 2 1 & wait
printf 'begin;\nselect * from account for update;\nselect pg_sleep(2);\n' | psql -q >/dev/null & sleep 1
psql -c "set lock_timeout='100ms'" -c 'alter table account add column note text'; psql -c 'select * from account where id=1 for update nowait'; wait
psql -c "set statement_timeout='100ms'" -c 'select pg_sleep(1)'
(echo "set idle_in_transaction_session_timeout='200ms'; begin; select 1;"; sleep 1; echo 'select 2;') | psql -q
tail -14 "$PGDATA/server.log"
