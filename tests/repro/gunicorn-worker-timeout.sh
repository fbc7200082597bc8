# bash tests/repro/gunicorn-worker-timeout.sh   (gunicorn): a request slower than --timeout, a module that is not there
PY=${PYTHON:-python3}; cd "$(mktemp -d)"; PORT=$((20000 + RANDOM % 20000))
printf 'import time\ndef app(env, start):\n    time.sleep(9)\n    start("200 OK", []); return [b"x"]\n' > shop.py
timeout 9 $PY -m gunicorn --timeout 2 -b 127.0.0.1:$PORT shop:app & sleep 2; curl -s -m 6 http://127.0.0.1:$PORT/; wait
timeout 9 $PY -m gunicorn -b 127.0.0.1:$PORT shop2:app; timeout 9 $PY -m gunicorn -b 127.0.0.1:$PORT shop:application
