# bash tests/repro/postgres-duplicate-key-sequence.sh   (PostgreSQL 15): rows loaded with their ids, the sequence left behind
. "$(dirname "$0")/postgres.sh"; start
psql -qc 'create table orders (id serial primary key, no text unique)' -c "insert into orders select g, 'n' || g from generate_series(1,5) g"
psql -c "insert into orders (no) values ('x')"; psql -c "insert into orders (id, no) values (9, 'n1')"
psql -Atc "select last_value from orders_id_seq" -c "select setval(pg_get_serial_sequence('orders','id'), (select max(id) from orders))" -c "insert into orders (no) values ('x') returning id"
