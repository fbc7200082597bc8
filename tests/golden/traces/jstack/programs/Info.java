package shop;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

/** Prints the threads as ThreadMXBean tells them: what actuators, Arthas and Hadoop print. */
public class Info {
    static final Object stock = new Object();

    static void hold() {
        synchronized (stock) {
            nap();
        }
    }

    static void want() {
        synchronized (stock) {
            System.out.println("in");
        }
    }

    static void nap() {
        try {
            Thread.sleep(3_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Thread holder = new Thread(Info::hold, "仓库");
        Thread waiter = new Thread(Info::want, "order-1");
        holder.start();
        Thread.sleep(200);
        waiter.start();
        Thread.sleep(200);
        for (ThreadInfo info : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) System.out.print(info);
        System.exit(0);
    }
}
