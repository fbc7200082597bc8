# bash tests/repro/rabbitmq-access-refused.sh   (RabbitMQ 3.10, pika 1.4): wrong password, no permission in the vhost, no such vhost
. "$(dirname "$0")/rabbitmq.sh"; start
ctl add_user app p; ctl add_vhost shop
py <<'P'
import os, pika, traceback
for user, password, vhost in (("guest", "wrong", "/"), ("app", "p", "shop"), ("guest", "guest", "none")):
    try: pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(os.environ["PORT"]), vhost, pika.PlainCredentials(user, password), connection_attempts=1))
    except Exception: traceback.print_exc()
P
ctl set_permissions -p shop app '^app' '^app' '.*'
py <<'P'
import os, pika
c = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(os.environ["PORT"]), "shop", pika.PlainCredentials("app", "p"))).channel()
c.queue_declare("orders")
P
grep -hE 'error|refused|access' -A1 "$DIR"/log/*.log | grep -v crash | tail -16
