package shop;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/** Virtual threads that wait: for Thread.dump_to_file. */
public class Virtual {
    static final CountDownLatch never = new CountDownLatch(1);
    static final Object lock = new Object();

    static void deliver() {
        try {
            never.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void hold() {
        synchronized (lock) {
            deliver();
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 1; i <= 2; i++) Thread.ofVirtual().name("订单-vt-" + i).start(Virtual::deliver);
        Thread.ofPlatform().name("keeper").daemon().start(Virtual::hold);
        Thread.sleep(200);
        Thread.ofPlatform().name("blocked").daemon().start(Virtual::hold);
        Thread.ofVirtual().name("blocked-vt").start(Virtual::hold);
        try (var each = Executors.newVirtualThreadPerTaskExecutor()) {
            each.submit(Virtual::deliver);
            Thread.sleep(600_000);
        }
    }
}
