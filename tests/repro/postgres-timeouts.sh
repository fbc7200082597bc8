# bash tests/repro/postgres-timeouts.sh   (PostgreSQL 15, psycopg2): statement, lock and idle-in-transaction time-outs, and a request to cancel
. "$(dirname "$0")/postgres.sh"; start
psql -qc 'create table t(a int)'
psql -c "set statement_timeout='200ms'" -c 'select pg_sleep(2)'
psql -qc 'begin; lock table t; select pg_sleep(3)' >/dev/null & sleep 1
psql -c "set lock_timeout='200ms'" -c 'select * from t'; wait
psql -c "select pg_sleep(5)" & sleep 1; psql -qtc "select pg_cancel_backend(pid) from pg_stat_activity where query like 'select pg_sleep(5)%' and pid<>pg_backend_pid()" >/dev/null; wait %1
${PYTHON:-python3} - <<'P'
import os, time, psycopg2, traceback
new = lambda **kw: psycopg2.connect(host="127.0.0.1", port=os.environ["PGPORT"], dbname="postgres", user="postgres", **kw)
try: new(options="-c statement_timeout=200").cursor().execute("select pg_sleep(2)")
except Exception: traceback.print_exc()
c = new(options="-c idle_in_transaction_session_timeout=200"); c.cursor().execute("select 1"); time.sleep(1)
try: c.cursor().execute("select 1")
except Exception: traceback.print_exc()
P
