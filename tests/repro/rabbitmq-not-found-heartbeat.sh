# bash tests/repro/rabbitmq-not-found-heartbeat.sh   (RabbitMQ 3.10, pika 1.4): a queue, an exchange and a virtual host that are not there, and a client too busy to send heartbeats
. "$(dirname "$0")/rabbitmq.sh"; start heartbeat=2
py <<'P'
import os, pika, time, traceback
at = lambda **kw: pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(os.environ["PORT"]), **kw))
con = at()
for f in (lambda c: c.queue_declare("orders", passive=True), lambda c: c.basic_get("orders"), lambda c: (c.basic_publish("shop", "x", b"1"), con.process_data_events(1), c.basic_publish("shop", "x", b"1"))):
    try: f(con.channel())
    except Exception: traceback.print_exc()
con.close()
try: at(virtual_host="shop")
except Exception: traceback.print_exc()
con = at(); c = con.channel(); c.queue_declare("q"); time.sleep(9)
try: c.basic_publish("", "q", b"1"); con.process_data_events(1)
except Exception: traceback.print_exc()
P
grep -hE 'heartbeat|not_found|not found' "$DIR"/log/*.log | tail -6
