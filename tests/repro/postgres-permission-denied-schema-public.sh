# bash tests/repro/postgres-permission-denied-schema-public.sh   (PostgreSQL 15)
. "$(dirname "$0")/postgres.sh"; start
psql -qc "create role app login" -c 'create database shop'
psql -U app -d shop -c 'create table orders (id int)'
psql -qd shop -c 'create table orders (id serial)' -c 'create schema sales' -c 'create table sales.item (id int)'
psql -U app -d shop -c 'select * from orders'
psql -qd shop -c 'grant insert, select on orders to app'
psql -U app -d shop -c 'insert into orders default values'
psql -U app -d shop -c 'select * from sales.item'
psql -qd shop -c 'revoke connect on database shop from public'; psql -U app -d shop -c 'select 1'
