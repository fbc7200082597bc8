# bash tests/repro/postgres-cannot-connect.sh   (PostgreSQL 15, psycopg2): nobody listens, no socket, database and role that do not exist, a server that ends a session
. "$(dirname "$0")/postgres.sh"
psql -c 'select 1'; env -u PGHOST psql -p $PGPORT -c 'select 1'
start
psql -d shop -c 'select 1'; psql -U shop -c 'select 1'
${PYTHON:-python3} - <<'P'
import os, psycopg2, traceback
for kw in ({"port": 1}, {"dbname": "shop"}, {"user": "shop"}):
    try: psycopg2.connect(**({"host": "127.0.0.1", "port": os.environ["PGPORT"], "dbname": "postgres", "user": "postgres"} | kw))
    except Exception: traceback.print_exc()
c = psycopg2.connect(host="127.0.0.1", port=os.environ["PGPORT"], dbname="postgres", user="postgres")
k = psycopg2.connect(host="127.0.0.1", port=os.environ["PGPORT"], dbname="postgres", user="postgres")
k.cursor().execute("select pg_terminate_backend(%s)", (c.info.backend_pid,))
try: c.cursor().execute("select 1")
except Exception: traceback.print_exc()
P
grep FATAL "$PGDATA/server.log"
