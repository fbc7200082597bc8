# bash tests/repro/mysql-too-many-connections.sh   (MariaDB 10.11, PyMySQL 1.2)
. "$(dirname "$0")/mariadb.sh"; start --max-connections=10
root -e "create user app@'%' identified by 'p'; create user one@'%' identified by 'p' with max_user_connections 1"
for i in $(seq 10); do tcp -uapp -pp -e 'select sleep(4)' >/dev/null & done; sleep 1; tcp -uapp -pp -e 'select 1'; root -e 'show global status like "Max_used_connections"'
py <<'P'
import os, pymysql, traceback
try: pymysql.connect(host="127.0.0.1", port=int(os.environ["PORT"]), user="app", password="p")
except Exception: traceback.print_exc()
P
sleep 4; tcp -uone -pp -e 'select sleep(2)' >/dev/null & sleep 1; tcp -uone -pp -e 'select 1'
