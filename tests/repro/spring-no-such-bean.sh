# bash tests/repro/spring-no-such-bean.sh   (Spring Framework 4.3 jars of Debian in /usr/share/java, JDK 17): a constructor argument nobody provides; two candidates
cd "$(mktemp -d)" && mkdir -p com/example && cat > com/example/Main.java <<'J'
package com.example;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
public class Main {
    interface OrderMapper { }
    static class OrderService { OrderService(OrderMapper mapper) { } }
    static class A implements OrderMapper { } static class B implements OrderMapper { }
    public static void main(String[] args) {
        try { new AnnotationConfigApplicationContext(OrderService.class); } catch (RuntimeException e) { e.printStackTrace(); }
        new AnnotationConfigApplicationContext(A.class, B.class, OrderService.class);
    }
}
J
CP=$(ls /usr/share/java/spring*-{core,beans,context,aop,expression}.jar /usr/share/java/spring3-*.jar /usr/share/java/commons-logging.jar 2>/dev/null | tr '\n' ':')
javac -cp "$CP" -d . com/example/Main.java && java --add-opens=java.base/java.lang=ALL-UNNAMED -cp "$CP:." com.example.Main 2>&1 | grep -v ' INFO\|^INFO\|org.springframework.*prepareRefresh'
