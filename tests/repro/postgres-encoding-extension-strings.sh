# bash tests/repro/postgres-encoding-extension-strings.sh   (PostgreSQL 15, psycopg2): bytes that are no UTF-8, a NUL, an extension that is not installed, a value too long
. "$(dirname "$0")/postgres.sh"; start
psql -qc 'create table t(a varchar(5))'
printf '\xc4\xe3\xba\xc3\n' > "$(dirname "$PGDATA")/gbk.txt"; chmod 644 "$(dirname "$PGDATA")/gbk.txt"
psql -c "copy t from '$(dirname "$PGDATA")/gbk.txt'"
printf 'create table \xc4\xe3(a int);' | psql
psql -c 'create extension vector' ; psql -c 'create extension postgis'; psql -c "select uuid_generate_v4()"
psql -c "insert into t values ('abcdefg')"
${PYTHON:-python3} - <<'P'
import os, psycopg2, traceback
c = psycopg2.connect(host="127.0.0.1", port=os.environ["PGPORT"], dbname="postgres", user="postgres"); c.autocommit = True
for q, a in (("insert into t values (%s)", ("abcdefg",)), ("create extension vector", None)):
    try: c.cursor().execute(q, a)
    except Exception: traceback.print_exc()
c.set_client_encoding("LATIN1")
try: c.set_client_encoding("SQL_ASCII"); c.cursor().execute(b"select '\xc4\xe3\xba\xc3'::bytea::text, convert_from('\\xc4e3bac3','UTF8')")
except Exception: traceback.print_exc()
P
psql -c "select convert_from('\\xc4e3bac3','UTF8')"
