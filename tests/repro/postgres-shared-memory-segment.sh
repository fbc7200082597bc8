# bash tests/repro/postgres-shared-memory-segment.sh   (root, PostgreSQL 15): a parallel query in a mount namespace whose /dev/shm has 2 MB, as in a container
[ "$1" = inside ] || exec unshare -m bash "$0" inside
. "$(dirname "$0")/postgres.sh"; mount -t tmpfs -o size=2m,mode=1777 none /dev/shm; start -c shared_memory_type=sysv
psql -qc 'create table t as select g, g%1000 k from generate_series(1,400000) g' -c analyze
psql -c 'set min_parallel_table_scan_size=0; set parallel_setup_cost=0; set parallel_tuple_cost=0; set max_parallel_workers_per_gather=4; set work_mem="64MB"; set enable_mergejoin=off; set enable_nestloop=off' -c 'select count(*) from t a join t b using (g)'
