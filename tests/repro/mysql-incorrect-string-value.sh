# bash tests/repro/mysql-incorrect-string-value.sh   (MariaDB 10.11, PyMySQL 1.2): four bytes of UTF-8 into utf8mb3; Chinese into latin1; two collations
. "$(dirname "$0")/mariadb.sh"; start; root -e "create user app@'%' identified by 'p'; grant all on *.* to app@'%'"
root shop -e 'create table u3 (name varchar(20)) charset utf8mb3; create table l1 (name varchar(20)) charset latin1; create table a (n varchar(20) collate utf8mb4_general_ci); create table b (n varchar(20) collate utf8mb4_unicode_ci)'
root --default-character-set=utf8mb4 shop -e "insert into u3 values ('ok 😀')"; root --default-character-set=utf8mb4 shop -e "insert into l1 values ('中文')"; root shop -e 'select * from a join b on a.n = b.n'
root shop -e 'create table k (n varchar(1000) charset utf8mb4, key (n)) row_format=compact'
py <<'P'
import os, pymysql
pymysql.connect(host="127.0.0.1", port=int(os.environ["PORT"]), user="app", password="p", database="shop").cursor().execute("insert into u3 values ('ok \U0001F600')")
P
