# bash tests/repro/postgres-relation-does-not-exist.sh   (PostgreSQL 15): quoted names, other schema, other database, column
. "$(dirname "$0")/postgres.sh"; start
psql -qc 'create table "Orders" ("userId" int)' -c 'create schema sales' -c 'create table sales.item (id int)'
psql -c 'select * from Orders'; psql -c 'select userId from "Orders"'; psql -c 'select * from item'; psql -c 'select * from sale.item'
