# bash tests/repro/celery-broker-down.sh   (Celery 5): a worker and a caller without a broker
PY=${PYTHON:-python3}; cd "$(mktemp -d)"
printf 'from celery import Celery\napp = Celery("shop", broker="redis://127.0.0.1:9/0")\napp.conf.broker_transport_options = {"max_retries": 1}\n@app.task\ndef add(a): return a\n' > shop.py
timeout 14 $PY -m celery -A shop worker -c 1 -P solo 2>&1 | grep -vE '^ ?-|^$|\*\*' | tail -6
$PY -c "import shop; shop.add.apply_async((1,), retry=False)" 2>&1 | tail -4
sed -i 's#broker="redis://127.0.0.1:9/0"#broker="amqp://guest@127.0.0.1:9//"#' shop.py
timeout 14 $PY -m celery -A shop worker -c 1 -P solo 2>&1 | grep -vE '^ ?-|^$|\*\*' | tail -4
$PY -c "import shop; shop.add.apply_async((1,), retry=False)" 2>&1 | tail -3
