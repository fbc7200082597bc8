# Sourced by the rabbitmq-*.sh beside it: a throw-away RabbitMQ (3.10) node on free loopback ports; stopped at exit. Python: pika 1.4.
DIR=$(mktemp -d) PORT=$((20000 + RANDOM % 9000)); chmod 777 "$DIR"; B=$(ls -d /usr/lib/rabbitmq/bin /usr/sbin 2>/dev/null | head -1)
export HOME=$DIR RABBITMQ_NODENAME=r$PORT@localhost RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT=$PORT RABBITMQ_DIST_PORT=$((PORT+10000)) RABBITMQ_MNESIA_BASE=$DIR/m RABBITMQ_LOG_BASE=$DIR/log RABBITMQ_PID_FILE=$DIR/pid ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT=$((PORT+20000)) RABBITMQ_CONF_ENV_FILE=/dev/null RABBITMQ_ENABLED_PLUGINS_FILE=$DIR/plugins RABBITMQ_CONFIG_FILE=$DIR/rabbitmq
start() { printf '%s\n' loopback_users.guest=false "$@" > "$DIR/rabbitmq.conf"; "$B/rabbitmq-server" >"$DIR/out" 2>&1 & for i in $(seq 60); do sleep .5; ctl await_startup >/dev/null 2>&1 && break; done; }
ctl() { "$B/rabbitmqctl" -q "$@"; }
py() { PORT=$PORT ${PYTHON:-python3} -; }
trap 'ctl stop >/dev/null 2>&1; epmd -port $ERL_EPMD_PORT -kill >/dev/null 2>&1' EXIT
