# bash tests/repro/mysql-lock-wait-timeout.sh   (MariaDB 10.11, Connector/J of MariaDB 2.7, PyMySQL 1.2): lock wait timeout and deadlock
. "$(dirname "$0")/mariadb.sh"; start --innodb-lock-wait-timeout=2
root shop -e 'create table account (id int primary key, balance int) engine=innodb; insert into account values (1,0),(2,0)'; root -e "create user app@'%' identified by 'p'; grant all on *.* to app@'%'"
root shop -e 'begin; update account set balance=1 where id=1; select sleep(6)' >/dev/null & sleep 1
root shop -e 'update account set balance=2 where id=1'; root shop -e 'select trx_id, trx_state, trx_started, trx_mysql_thread_id, trx_query from information_schema.innodb_trx'
py <<'P'
import os, pymysql, traceback
try: pymysql.connect(host="127.0.0.1", port=int(os.environ["PORT"]), user="app", password="p", database="shop").cursor().execute("update account set balance=3 where id=1")
except Exception: traceback.print_exc()
P
wait %2 2>/dev/null; sleep 3
root shop -e 'begin; update account set balance=1 where id=1; select sleep(1); update account set balance=1 where id=2' >/dev/null &
root shop -e 'begin; update account set balance=1 where id=2; select sleep(1); update account set balance=1 where id=1' >/dev/null; sleep 2; root -e 'show engine innodb status\G' | sed -n '/LATEST DETECTED/,/WE ROLL/p' | head -40
