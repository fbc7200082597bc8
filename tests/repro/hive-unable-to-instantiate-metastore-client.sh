# PYTHON=/venv/bin/python bash tests/repro/hive-unable-to-instantiate-metastore-client.sh   (PySpark 4.3 with Hive 2.3 and Derby): two processes, one embedded Derby
d=$(mktemp -d) && cd "$d"
run() { ${PYTHON:-python3} -c "
import time
from pyspark.sql import SparkSession
s = SparkSession.builder.master('local[1]').config('spark.ui.enabled','false').enableHiveSupport().getOrCreate()
s.sql('show databases').show(); time.sleep($1)"; }
run 40 >first.log 2>&1 & for i in $(seq 60); do sleep 1; grep -q namespace first.log && break; done
run 0 2>&1 | grep -E 'Caused by|Error|Exception|ERROR' | cut -c1-300 | awk '!s[$0]++' | head -30; kill $! 2>/dev/null
${PYTHON:-python3} -c "
from pyspark.sql import SparkSession
s = SparkSession.builder.master('local[1]').config('spark.ui.enabled','false').config('hive.metastore.uris','thrift://127.0.0.1:9983').enableHiveSupport().getOrCreate()
s.sql('show databases').show()" 2>&1 | grep -E 'Caused by|Error|Exception|ERROR|WARN.*etastore' | cut -c1-300 | awk '!s[$0]++' | head -24
