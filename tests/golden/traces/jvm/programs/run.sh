#!/bin/sh
# Compiles the programs into /srv/shop/jvm and writes what they print beside them. Needs a JDK 17, Scala 2.11, Groovy 2.4,
# Clojure 1.11 and Kotlin 1.3 with coroutines, logback, logstash-logback-encoder, CGLIB and Byte Buddy in $JARS, and a
# Python with PySpark in $VENV, whose jars hold log4j2.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$(dirname "$here")
JARS=${JARS:-/usr/share/java}
VENV=${VENV:-/srv/venv}
SPARK=$("$VENV/bin/python" -c "import pyspark, os; print(os.path.dirname(pyspark.__file__))")
mkdir -p /srv/shop/jvm && cp "$here"/* /srv/shop/jvm && cd /srv/shop/jvm || exit 1

print() { name=$1; shift; timeout 120 "$@" 2>&1 | sed "s#$VENV#/srv/venv#g" >"$out/$name.txt"; }
jars() { for jar in "$@"; do printf '%s:' "$jar"; done; }

javac -d classes -encoding UTF-8 Chained.java Circular.java Overflow.java Proxied.java Inflated.java Logged.java Fast.java RemotePay.java 结算.java
javac -d classes -g:source,lines Helpful.java
javac -d classes --release 8 -Xlint:-options Crash.java 2>/dev/null || javac -d classes Crash.java 2>/dev/null
for name in Helpful Fast; do print "$(echo $name | tr A-Z a-z)" java -cp classes "shop.$name"; done
print hidden-frames java -XX:+UnlockDiagnosticVMOptions -XX:+ShowHiddenFrames -cp classes shop.Inflated
print jul java -Duser.language=en -Duser.country=US -cp classes shop.Logged
print jul-zh java -Duser.language=zh -Duser.country=CN -cp classes shop.Logged
print rmi java -cp classes shop.RemotePay
print chinese-names java -cp classes 商店.结算
java -XX:ErrorFile=/srv/shop/jvm/hs_err.log -cp classes shop.Crash >/dev/null 2>&1
sed -n '1,/^Register to memory/p' hs_err.log | grep -v "Linux\|CPU\|cores" >"$out/hs-err.txt"

scalac -d classes Services.scala && print scala scala -cp classes shop.Services
scalac -d classes Matching.scala && print scala-matching scala -cp classes shop.Matching
print groovy groovy billing.groovy
print clojure java -cp "$JARS/clojure.jar:$JARS/spec.alpha.jar:$JARS/core.specs.alpha.jar:." clojure.main ledger.clj
print clojure-syntax java -cp "$JARS/clojure.jar:$JARS/spec.alpha.jar:$JARS/core.specs.alpha.jar:." clojure.main broken.clj
kotlinc -d classes Checkout.kt && print kotlin java -cp "classes:$JARS/kotlin-stdlib.jar" shop.CheckoutKt
coroutines=$JARS/kotlin-stdlib.jar:$(jars "$JARS"/kotlinx-coroutines-core*.jar "$JARS"/*atomicfu*.jar)
kotlinc -d classes -cp "$coroutines" Flow.kt && print coroutines java -ea -cp "classes:$coroutines" shop.FlowKt

made=$(jars "$JARS/cglib-nodep.jar" "$JARS/byte-buddy.jar")
javac -d classes -cp "$made" Advised.java && print advised java --add-opens java.base/java.lang=ALL-UNNAMED -cp "classes:$made" shop.Advised

logback=$(jars "$JARS/logback-classic.jar" "$JARS/logback-core.jar" "$JARS/slf4j-api.jar" "$JARS/logstash-logback-encoder.jar" "$JARS/jackson-core.jar" "$JARS/jackson-databind.jar" "$JARS/jackson-annotations.jar")
log4j=$(jars "$SPARK"/jars/log4j-*.jar "$SPARK"/jars/slf4j-api-*.jar "$SPARK"/jars/jul-to-slf4j-*.jar)
javac -d classes -cp "$logback" Layouts.java
for layout in ex rEx xEx; do
    printf '<configuration><appender name="a" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%%d{HH:mm:ss.SSS} [%%thread] %%-5level %%logger{20} - %%msg%%n%%%s</pattern></encoder></appender><root level="INFO"><appender-ref ref="a"/></root></configuration>' "$layout" >logback.xml
    print "logback-$layout" java -Dlogback.configurationFile=logback.xml -cp "classes:$logback" shop.Layouts
    printf '<Configuration><Appenders><Console name="a"><PatternLayout pattern="%%d{ISO8601} %%-5p [%%t] %%c{1.}: %%m%%n%%%s"/></Console></Appenders><Loggers><Root level="info"><AppenderRef ref="a"/></Root></Loggers></Configuration>' "$layout" >log4j2.xml
    print "log4j2-$layout" java -Dlog4j2.configurationFile=log4j2.xml -cp "classes:$log4j" shop.Layouts
done
echo '<configuration><appender name="a" class="ch.qos.logback.core.ConsoleAppender"><encoder class="net.logstash.logback.encoder.LogstashEncoder"><throwableConverter class="net.logstash.logback.stacktrace.ShortenedThrowableConverter"><maxDepthPerThrowable>4</maxDepthPerThrowable><rootCauseFirst>true</rootCauseFirst><inlineHash>true</inlineHash></throwableConverter></encoder></appender><root level="INFO"><appender-ref ref="a"/></root></configuration>' >logback.xml
print logstash java -Dlogback.configurationFile=logback.xml -cp "classes:$logback" shop.Layouts
echo '<Configuration><Appenders><Console name="a"><JsonTemplateLayout eventTemplateUri="classpath:EcsLayout.json"/></Console></Appenders><Loggers><Root level="info"><AppenderRef ref="a"/></Root></Loggers></Configuration>' >log4j2.xml
print log4j2-ecs java -Dlog4j2.configurationFile=log4j2.xml -cp "classes:$log4j" shop.Layouts
for step in codegen function; do print "spark-$step" "$VENV/bin/python" generated.py $step; done
