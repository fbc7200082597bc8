package shop;

/** Waits, so that jstack has something to print. */
public class Waiting {
    static final Object LOCK = new Object();

    static void hold() throws InterruptedException {
        synchronized (LOCK) {
            Thread.sleep(60_000);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread worker = new Thread(() -> {
            synchronized (LOCK) {
                System.out.println("never");
            }
        }, "订单-worker-1");
        Thread holder = new Thread(() -> {
            try {
                hold();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "holder");
        holder.setDaemon(true);
        worker.setDaemon(true);
        holder.start();
        Thread.sleep(300);
        worker.start();
        Thread.sleep(5_000);
    }
}
