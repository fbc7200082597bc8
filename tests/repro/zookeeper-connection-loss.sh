# PYTHON=python with kazoo bash tests/repro/zookeeper-connection-loss.sh   (ZooKeeper 3.8 client jars in /usr/share/java, kazoo 2.11): nothing listens on the port
cd "$(mktemp -d)" && cat > Zk.java <<'J'
import org.apache.zookeeper.*;
public class Zk { public static void main(String[] a) throws Exception { ZooKeeper zk = new ZooKeeper("127.0.0.1:2999", 3000, e -> {}); zk.getData("/hbase", false, null); } }
J
CP=$(ls /usr/share/java/{zookeeper,zookeeper-jute,slf4j-api,netty,netty-*,log4j-1.2,audience*,yetus*}.jar 2>/dev/null | tr '\n' ':')
timeout 60 java -cp "$CP" Zk.java 2>&1 | grep -v slf4j
timeout 40 ${PYTHON:-python3} -c 'from kazoo.client import KazooClient; KazooClient("127.0.0.1:2999").start(timeout=3)' 2>&1 | tail -6
timeout 30 zkCli.sh -server 127.0.0.1:2999 ls / 2>&1 | tail -5
