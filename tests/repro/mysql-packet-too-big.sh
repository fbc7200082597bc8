# bash tests/repro/mysql-packet-too-big.sh   (MariaDB 10.11, PyMySQL 1.2, MariaDB Connector/J 2.7)
. "$(dirname "$0")/mariadb.sh"; start --max-allowed-packet=1M; root -e "create user app@'%' identified by 'p'; grant all on *.* to app@'%'"
root shop -e 'create table doc (body longtext)'; (printf "insert into doc values ('"; head -c 3000000 /dev/zero | tr '\0' x; echo "')") | root --max-allowed-packet=16M shop 2>&1 | cut -c1-200
py <<'P'
import os, pymysql, traceback
try: pymysql.connect(host="127.0.0.1", port=int(os.environ["PORT"]), user="app", password="p", database="shop", max_allowed_packet=1<<24).cursor().execute("insert into doc values (%s)", "x" * 3000000)
except Exception: traceback.print_exc()
P
cd "$DIR" && cat > T.java <<'J'
public class T { public static void main(String[] a) throws Exception { var s = java.sql.DriverManager.getConnection(a[0], "app", "p").prepareStatement("insert into doc values (?)"); s.setString(1, "x".repeat(3000000)); s.execute(); } }
J
java -cp /usr/share/java/mariadb-java-client.jar T.java "jdbc:mariadb://127.0.0.1:$PORT/shop"; grep -i packet "$DIR/log"
