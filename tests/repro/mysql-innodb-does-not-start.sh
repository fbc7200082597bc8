# bash tests/repro/mysql-innodb-does-not-start.sh   (MariaDB 10.11): a second server on the same files, files of another user, and a table that fills a small disk of temporary files
. "$(dirname "$0")/mariadb.sh"; start --tmpdir="$DIR" --innodb-temp-data-file-path=ibtmp1:12M:autoextend:max:24M --tmp-memory-table-size=16K --max-heap-table-size=16K --aria-pagecache-buffer-size=8M
timeout 40 runuser -u nobody -- mariadbd --no-defaults --datadir="$DIR/data" --port=$((PORT+1)) --socket="$DIR/s2" 2>&1 | grep -E 'ERROR' | head -4
root shop -e "create temporary table x(a varchar(500)) engine=innodb; insert into x select repeat('a',500) from seq_1_to_200000"
root shop -e "set max_heap_table_size=16384; create table h(a int, b varchar(200)) engine=memory; insert into h select seq, repeat('a',200) from seq_1_to_10000"
stop; chown root "$DIR/data/ibdata1"; chmod 600 "$DIR/data/ibdata1"
timeout 40 runuser -u nobody -- mariadbd --no-defaults --datadir="$DIR/data" --port=$PORT --socket="$DIR/s" 2>&1 | grep -E 'ERROR' | head -4
