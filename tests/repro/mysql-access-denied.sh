# bash tests/repro/mysql-access-denied.sh   (MariaDB 10.11, PyMySQL 1.2, MariaDB Connector/J 2.7 in /usr/share/java)
. "$(dirname "$0")/mariadb.sh"; start
root -e "create user app@'10.0.0.%' identified by 'p'; create user app2@'%' identified by 'p'"
tcp -uapp -pp; tcp -uapp2 -pwrong; tcp -uapp2 -e 'select 1'; tcp -uapp2 -pp shop; tcp -uapp2 -pp -e 'create database x'; root -e 'select user, host, plugin from mysql.user'
py <<'P'
import os, pymysql
pymysql.connect(host="127.0.0.1", port=int(os.environ["PORT"]), user="app2", password="wrong")
P
cd "$DIR" && cat > T.java <<'J'
public class T { public static void main(String[] a) throws Exception { java.sql.DriverManager.getConnection(a[0], "app2", "wrong"); } }
J
java -cp /usr/share/java/mariadb-java-client.jar T.java "jdbc:mariadb://127.0.0.1:$PORT/shop"
