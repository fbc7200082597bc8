# bash tests/repro/postgres-transaction-aborted.sh   (PostgreSQL 15, psycopg2 2.9): a statement after the one that failed
. "$(dirname "$0")/postgres.sh"; start
printf 'begin;\nselect 1/0;\nselect 1;\ncommit;\n' | psql
${PYTHON:-python3} - <<'P'
import psycopg2, traceback
c = psycopg2.connect("").cursor()
try: c.execute("insert into orders values (1)")
except Exception: traceback.print_exc()
c.execute("select 1")
P
tail -4 "$PGDATA/server.log"
