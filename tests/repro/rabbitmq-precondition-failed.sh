# bash tests/repro/rabbitmq-precondition-failed.sh   (RabbitMQ 3.10, pika 1.4): other arguments, a delivery tag confirmed twice, an acknowledgement that is late, no such queue
. "$(dirname "$0")/rabbitmq.sh"; start consumer_timeout=2000
py <<'P'
import os, pika, time, traceback
con = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(os.environ["PORT"])))
def late():
    c = con.channel(); c.basic_publish("", "orders", b"x"); it = c.consume("orders"); next(it); 
    for _ in range(75): con.process_data_events(1); c.is_open or c.basic_ack(1)
    next(it)
def twice():
    c = con.channel(); c.basic_publish("", "orders", b"x"); m, _, _ = next(c.consume("orders")); c.basic_ack(m.delivery_tag); c.basic_ack(m.delivery_tag); con.process_data_events(1); c.basic_ack(1)
con.channel().queue_declare("orders")
for f in (lambda: con.channel().queue_declare("orders", durable=True), lambda: con.channel().queue_declare("orders", arguments={"x-message-ttl": 1000}), lambda: con.channel().queue_declare("none", passive=True), lambda: con.channel().exchange_declare("amq.direct", "topic"), twice, late):
    try: f()
    except Exception: traceback.print_exc()
P
grep -hE 'error|PRECOND|operation' "$DIR"/log/*.log | tail -16
