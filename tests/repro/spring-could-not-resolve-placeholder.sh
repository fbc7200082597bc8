# bash tests/repro/spring-could-not-resolve-placeholder.sh   (Spring Framework 4.3 jars of Debian in /usr/share/java, JDK 17): @Value of a property that nobody sets
cd "$(mktemp -d)" && mkdir -p com/example && cat > com/example/Main.java <<'J'
package com.example;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.*;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
public class Main {
    static class Mailer { @Value("${mail.host}") String host; }
    static class Pool { @Value("${pool.size}") int size; }
    public static void main(String[] args) {
        try { new AnnotationConfigApplicationContext(PropertySourcesPlaceholderConfigurer.class, Mailer.class); } catch (RuntimeException e) { e.printStackTrace(); }
        new AnnotationConfigApplicationContext(Pool.class);
    }
}
J
CP=$(ls /usr/share/java/spring*-{core,beans,context,aop,expression}.jar /usr/share/java/spring3-*.jar /usr/share/java/commons-logging.jar 2>/dev/null | tr '\n' ':')
javac -cp "$CP" -d . com/example/Main.java && java --add-opens=java.base/java.lang=ALL-UNNAMED -cp "$CP:." com.example.Main 2>&1 | grep -v ' INFO\|^INFO\|org.springframework.*prepareRefresh'
