# bash tests/repro/rabbitmq-alarm-blocked.sh   (RabbitMQ 3.10, pika 1.4): memory and disk alarms, a publisher that is blocked
. "$(dirname "$0")/rabbitmq.sh"; start vm_memory_high_watermark.absolute=40MB disk_free_limit.absolute=900GB; sleep 3
ctl list_connections pid state; timeout 20 ${PYTHON:-python3} - <<'P'
import os, pika
con = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(os.environ["RABBITMQ_NODE_PORT"]), blocked_connection_timeout=3))
c = con.channel(); c.queue_declare("q"); c.confirm_delivery(); c.basic_publish("", "q", b"x")
P
"$B/rabbitmq-diagnostics" -q alarms; ctl status | grep -A4 -i alarm; grep -hE 'alarm|free' -A3 "$DIR"/log/*.log | tail -22
