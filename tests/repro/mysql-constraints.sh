# bash tests/repro/mysql-constraints.sh   (MariaDB 10.11, PyMySQL 1.2, MariaDB Connector/J 2.7): duplicate keys, foreign keys in both directions, tables that are not there
. "$(dirname "$0")/mariadb.sh"; start; root shop -e "create table customer (id int primary key, login varchar(50), unique key login (login)); create table orders (id int primary key, customer_id int, constraint fk_orders_customer foreign key (customer_id) references customer (id)); insert into customer values (1, 'anna'); insert into orders values (1, 1); create user app@'%' identified by 'p'; grant all on *.* to app@'%'"
root shop -e "insert into customer values (1, 'ben')"; root shop -e "insert into customer values (2, 'anna')"
root shop -e "insert into orders values (2, 99)"; root shop -e "delete from customer where id = 1"; root shop -e "drop table customer"
root shop -e "select * from Orders"; root shop -e "select * from invoices"
py <<'P'
import os, pymysql, traceback
c = pymysql.connect(host="127.0.0.1", port=int(os.environ["PORT"]), user="app", password="p", database="shop")
for sql in ("insert into customer values (1, 'x')", "insert into orders values (3, 99)", "select * from invoices"):
    try: c.cursor().execute(sql)
    except Exception: traceback.print_exc()
P
cd "$DIR" && cat > T.java <<'J'
public class T { public static void main(String[] a) throws Exception { var c = java.sql.DriverManager.getConnection(a[0], "app", "p");
  for (String s : new String[]{"insert into customer values (1, 'x')", "insert into orders values (3, 99)", "select * from invoices"}) try { c.createStatement().execute(s); } catch (java.sql.SQLException e) { e.printStackTrace(); } } }
J
java -cp /usr/share/java/mariadb-java-client.jar T.java "jdbc:mariadb://127.0.0.1:$PORT/shop"
