#!/bin/sh
# Makes the outputs beside this folder anew, with what is installed of sqlite3, psql and a server, mariadb, redis.
# Each part starts a server of its own in a temporary folder and stops it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
if command -v sqlite3 >/dev/null; then
    {
        printf 'create table t (id integer primary key, name text unique);\ninsert into t values (1, %s);\ninsert into t values (2, %s);\n' "'a'" "'a'" | sqlite3
        printf 'select * from nowhere;\n' | sqlite3
        printf 'selec 1;\n' | sqlite3
    } >"$here/../sqlite-shell.txt" 2>&1
fi
initdb=$(ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | tail -1)
if [ -n "$initdb" ]; then
    bin=$(dirname "$initdb")
    mkdir "$work/pg" && chown postgres "$work/pg"
    pg() { su postgres -c "PATH=$bin:\$PATH LC_ALL=C.UTF-8 $*"; }
    pg "initdb -A trust -D $work/pg/data -E UTF8" >/dev/null 2>&1
    pg "pg_ctl -s -w -D $work/pg/data -l $work/pg/log -o '-k $work/pg -h \"\" -p 54329' start"
    cp "$here/errors.sql" "$work/pg/errors.sql"
    pg "psql -X -h $work/pg -p 54329 -d postgres -f $work/pg/errors.sql" 2>&1 | sed "s,$work/pg/,,g" >"$here/../psql.txt"
    pg "PGOPTIONS='-c log_min_messages=panic' psql -X -q -h $work/pg -p 54329 -d template1 -v VERBOSITY=verbose" <"$here/errors.sql" >"$here/../psql-verbose.txt" 2>&1
    if locale -a | grep -qi '^zh_CN.utf-\?8$'; then # else: localedef -i zh_CN -f UTF-8 zh_CN.UTF-8
        pg "createdb -h $work/pg -p 54329 zh"
        pg "PGOPTIONS='-c log_min_messages=panic -c lc_messages=zh_CN.UTF-8' LC_MESSAGES=zh_CN.UTF-8 psql -X -q -h $work/pg -p 54329 -d zh" <"$here/errors.sql" >"$here/../psql-zh.txt" 2>&1
    fi
    pg "pg_ctl -s -m fast -D $work/pg/data stop"
    sed "s,$work/pg/,,g" "$work/pg/log" >"$here/../postgres-server-log.txt"
fi
if command -v mariadbd >/dev/null; then
    mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$work/my" --auth-root-authentication-method=normal >/dev/null 2>&1
    mariadbd --no-defaults --user="$(id -un)" --datadir="$work/my" --socket="$work/my.sock" --skip-networking --pid-file="$work/my.pid" >/dev/null 2>&1 &
    for _ in 1 2 3 4 5 6 7 8 9 10; do [ -S "$work/my.sock" ] && break; sleep 1; done
    mariadb --no-defaults -u root -S "$work/my.sock" --force test <"$here/errors-mysql.sql" >"$here/../mariadb.txt" 2>&1
    mariadb --no-defaults -u nobody_here -pwrong -S "$work/my.sock" test -e 'select 1' >>"$here/../mariadb.txt" 2>&1
    mariadb-admin --no-defaults -u root -S "$work/my.sock" shutdown
    wait
    mariadb --no-defaults -u root -S /tmp/no-such.sock test -e 'select 1' >>"$here/../mariadb.txt" 2>&1
fi
if command -v redis-server >/dev/null; then
    redis-server --port 0 --unixsocket "$work/redis.sock" --maxmemory 1 --maxmemory-policy noeviction --save '' --requirepass "$(printf 'gold%s' en)" >/dev/null 2>&1 &
    sleep 1
    {
        redis-cli -s "$work/redis.sock" get a
        printf 'AUTH gold%s\nSET a 1\nCONFIG SET maxmemory 0\nSET a 1\nLPUSH a 1\nEVALSHA ffffffffffffffffffffffffffffffffffffffff 0\nNOSUCH 1\n' en | redis-cli -s "$work/redis.sock" --no-auth-warning
    } >"$here/../redis-cli.txt" 2>&1
    kill $!
    wait
fi
