# bash tests/repro/mysql-host-not-allowed.sh   (MariaDB 10.11): no account for this host; host blocked after broken handshakes
. "$(dirname "$0")/mariadb.sh"; start --skip-name-resolve --max-connect-errors=2
root -e "drop user root@127.0.0.1" 2>/dev/null; root -e "delete from mysql.global_priv where host not in ('localhost'); flush privileges"; tcp -uapp -pp
root -e "create user app@'%' identified by 'p'"; for i in 1 2 3; do echo | timeout 1 bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT; sleep .3"; done; tcp -uapp -pp -e 'select 1'
