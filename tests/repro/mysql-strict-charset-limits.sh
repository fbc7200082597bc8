# bash tests/repro/mysql-strict-charset-limits.sh   (MariaDB 10.11, pymysql): too long, out of range, wrong dates, mixed collations, keys too long, secure_file_priv, functions and the binary log
. "$(dirname "$0")/mariadb.sh"; start --log-bin="$DIR/bin" --server-id=1 --secure-file-priv="$DIR"
root shop -e "create table t(a varchar(3), b tinyint, d date) charset utf8mb4; create table u(a varchar(3) collate utf8mb4_unicode_ci) ; create table g(a varchar(3) collate utf8mb4_general_ci)"
for q in "insert into t(a) values ('abcdef')" "insert into t(b) values (300)" "insert into t(d) values ('0000-00-00')" "insert into t(b) values ('x')" "select * from u join g on u.a=g.a" "create table k(a varchar(1000) charset utf8mb4 unique) engine=innodb row_format=compact" "create table k(a varchar(4000) charset utf8mb4 unique) engine=innodb" "select 1 into outfile '/tmp/x.txt'" "set sql_mode='STRICT_TRANS_TABLES,NO_ZERO_DATE'; insert into t(d) values ('0000-00-00')"; do root shop -e "$q"; done
root -e "create user app@'%'; grant all on shop.* to app@'%'"
tcp -uapp shop -e "create function f() returns int return 1"
py <<'P'
import os, pymysql, traceback
c = pymysql.connect(host="127.0.0.1", port=int(os.environ["PORT"]), user="app", database="shop")
for q in ("insert into t(a) values ('abcdef')", "insert into t(b) values (300)", "select * from u join g on u.a=g.a"):
    try: c.cursor().execute(q)
    except Exception: traceback.print_exc()
P
