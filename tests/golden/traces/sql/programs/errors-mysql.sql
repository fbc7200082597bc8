create table orders (id integer primary key, customer varchar(5) not null);
insert into orders values (1, 'a');
insert into orders values (1, 'b');
insert into orders values (2, null);
set sql_mode = 'STRICT_ALL_TABLES';
insert into orders values (3, 'much too long');
select * from orderz where id = 7;
selec 1;
select nothing from orders;
