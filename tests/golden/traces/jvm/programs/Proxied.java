package shop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A pool, a future, a dynamic proxy, reflection and a lambda between the fault and the thread. */
public class Proxied {
    interface Gateway {
        void send(List<String> parts);
    }

    static void check(String part) {
        if (part.length() > 3) {
            throw new IllegalArgumentException("part '" + part + "' is longer than 3");
        }
    }

    public static void main(String[] args) throws Exception {
        Gateway plain = parts -> parts.forEach(Proxied::check);
        Gateway gateway = (Gateway) Proxy.newProxyInstance(
                Proxied.class.getClassLoader(), new Class<?>[] {Gateway.class}, (proxy, method, values) -> {
                    try {
                        return method.invoke(plain, values);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        ExecutorService pool = Executors.newFixedThreadPool(1);
        try {
            CompletableFuture.runAsync(() -> gateway.send(List.of("abc", "abcd")), pool).join();
        } finally {
            pool.shutdown();
        }
    }
}
