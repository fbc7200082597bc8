# bash tests/repro/mysql-replication-stops.sh   (MariaDB 10.11): a replica with a row too many, one with a row too few, and a binary log that the primary has purged
. "$(dirname "$0")/mariadb.sh"; start --log-bin="$DIR/bin" --server-id=1 --binlog-format=row
root -e "create user rep@'%'; grant replication slave on *.* to rep@'%'; flush privileges; create table shop.t(a int primary key); insert into shop.t values (1)"
A=$DIR PA=$PID
DIR=$(mktemp -d); chmod 777 "$DIR"; as mariadb-install-db --no-defaults --datadir="$DIR/data" --auth-root-authentication-method=normal --skip-test-db >/dev/null 2>&1
B=$DIR Q=$((PORT+1)); P1=$PORT; PORT=$Q start --server-id=2
rep() { mariadb --no-defaults -S "$B/s" -uroot "$@"; }; src() { mariadb --no-defaults -S "$A/s" -uroot "$@"; }
state() { sleep 2; rep -e 'show slave status\G' | grep -E 'Last_(IO|SQL)_Err(no|or): .+[^ ]|Running:'; }
rep -e "change master to master_host='127.0.0.1', master_port=$P1, master_user='rep', master_use_gtid=no, master_log_file='bin.000001', master_log_pos=4; start slave"; sleep 3
rep -e "insert into shop.t values (2)"; src -e "insert into shop.t values (2)"; state
rep -e "stop slave; delete from shop.t where a=2; start slave"; sleep 2; rep -e "delete from shop.t where a=1"; src -e "delete from shop.t where a=1"; state
rep -e "stop slave; insert into shop.t values (1); start slave"; sleep 1; rep -e "stop slave"; src -e "flush logs; flush logs; purge binary logs to 'bin.000003'"; rep -e "change master to master_log_file='bin.000001', master_log_pos=4; start slave"; state
mariadb-admin --no-defaults -S "$A/s" -uroot shutdown; stop
