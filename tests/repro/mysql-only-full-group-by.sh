# bash tests/repro/mysql-only-full-group-by.sh   (MariaDB 10.11; MySQL's own wording is longer): a column that is neither grouped nor aggregated
. "$(dirname "$0")/mariadb.sh"; start --sql-mode=ONLY_FULL_GROUP_BY
root shop -e 'create table orders (id int primary key, customer int, total int); select customer, id, sum(total) from orders group by customer'
root shop -e 'select count(*), customer from orders'
