package shop;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** One program for thread dumps: deadlocks, blocked and parked threads, idle and busy pools. */
public class Shop {
    static final class Stock {}

    static final class Ledger {}

    static final Stock stock = new Stock();
    static final Ledger ledger = new Ledger();
    static final ReentrantLock paying = new ReentrantLock();
    static final ReentrantLock shipping = new ReentrantLock();
    static final CountDownLatch both = new CountDownLatch(2);

    static void pause() {
        both.countDown();
        try {
            both.await(300, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void sell() {
        synchronized (stock) {
            pause();
            synchronized (ledger) {
                System.out.println("sold");
            }
        }
    }

    static void settle() {
        synchronized (ledger) {
            pause();
            synchronized (stock) {
                System.out.println("settled");
            }
        }
    }

    static void pay() {
        paying.lock();
        pause();
        shipping.lock();
    }

    static void ship() {
        shipping.lock();
        pause();
        paying.lock();
    }

    static void hold() {
        synchronized (Shop.class) {
            try {
                Thread.sleep(600_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void queue() {
        synchronized (Shop.class) {
            System.out.println("in");
        }
    }

    static void waitForOrder(Object order) {
        synchronized (order) {
            try {
                order.wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static void start(String name, Runnable work) {
        Thread t = new Thread(work, name);
        t.setDaemon(true);
        t.start();
    }

    public static void main(String[] args) throws Exception {
        String what = args[0];
        switch (what) {
            case "monitors" -> {
                start("seller", Shop::sell);
                start("settler", Shop::settle);
            }
            case "locks" -> {
                start("付款线程", Shop::pay);
                start("发货线程", Shop::ship);
            }
            case "blocked" -> {
                start("holder", Shop::hold);
                Thread.sleep(200);
                for (int i = 0; i < 3; i++) start("订单-worker-" + i, Shop::queue);
                start("waiter", () -> waitForOrder(new StringBuilder("order")));
            }
            case "pools" -> {
                ExecutorService idle = Executors.newFixedThreadPool(4);
                for (int i = 0; i < 4; i++) idle.submit(() -> {});
                ExecutorService busy = Executors.newFixedThreadPool(3);
                CountDownLatch never = new CountDownLatch(1);
                for (int i = 0; i < 3; i++) busy.submit(() -> { never.await(); return null; });
                Executors.newScheduledThreadPool(1).schedule(() -> {}, 1, TimeUnit.HOURS);
            }
            default -> throw new IllegalArgumentException(what);
        }
        Thread.sleep(600_000);
    }
}
