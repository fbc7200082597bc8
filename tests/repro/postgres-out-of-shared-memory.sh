# bash tests/repro/postgres-out-of-shared-memory.sh   (PostgreSQL 15, psycopg2): one transaction that locks more tables than there is room for
. "$(dirname "$0")/postgres.sh"; start -c max_locks_per_transaction=10 -c max_connections=10
psql -qc "do \$\$ begin for i in 1..2000 loop execute 'create table t'||i||'(a int)'; if i%50=0 then commit; end if; end loop; end \$\$"
psql -c "do \$\$ begin for i in 1..2000 loop execute 'lock table t'||i; end loop; end \$\$"
${PYTHON:-python3} - <<'P'
import os, psycopg2, traceback
c = psycopg2.connect(host="127.0.0.1", port=os.environ["PGPORT"], dbname="postgres", user="postgres")
try:
    for i in range(1, 2000): c.cursor().execute(f"select * from t{i}")
except Exception: traceback.print_exc()
P
