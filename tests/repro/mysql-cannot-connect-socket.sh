# bash tests/repro/mysql-cannot-connect-socket.sh   (MariaDB 10.11 client, PyMySQL 1.2): no server behind socket and port
mariadb --no-defaults -S /tmp/none.sock; mariadb --no-defaults -h127.0.0.1 -P3999; mariadb --no-defaults -hdb.invalid; mariadb-admin --no-defaults -S /tmp/none.sock ping
${PYTHON:-python3} -c 'import pymysql; pymysql.connect(host="127.0.0.1", port=3999)'
