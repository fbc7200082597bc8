# bash tests/repro/mysql-gone-away.sh   (MariaDB 10.11, pymysql, SQLAlchemy): a connection idle for longer than wait_timeout, and one that is killed during a query
. "$(dirname "$0")/mariadb.sh"; start; root -e "create user app@'%'; grant all on shop.* to app@'%'"
py <<'P'
import os, time, threading, pymysql, sqlalchemy, traceback
kw = dict(host="127.0.0.1", port=int(os.environ["PORT"]), user="app", database="shop")
c = pymysql.connect(**kw); c.cursor().execute("set wait_timeout=1"); time.sleep(3)
for _ in range(2):
    try: c.cursor().execute("select 1")
    except Exception: traceback.print_exc()
c = pymysql.connect(**kw)
threading.Timer(1, lambda: pymysql.connect(**kw).cursor().execute(f"kill {c.thread_id()}")).start()
try: c.cursor().execute("select sleep(5)")
except Exception: traceback.print_exc()
e = sqlalchemy.create_engine(f"mysql+pymysql://app@127.0.0.1:{kw['port']}/shop")
with e.connect() as s: s.execute(sqlalchemy.text("set wait_timeout=1"))
time.sleep(3)
try:
    with e.connect() as s: s.execute(sqlalchemy.text("select 1"))
except Exception: traceback.print_exc()
P
