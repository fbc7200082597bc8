package shop;

/** A cause, a resource that fails while it is closed, and a wrapper: what try-with-resources prints. */
public class Chained {
    static class Ledger implements AutoCloseable {
        @Override
        public void close() {
            try {
                flush();
            } catch (java.io.IOException e) {
                throw new IllegalStateException("ledger 17 not closed", e);
            }
        }

        void flush() throws java.io.IOException {
            throw new java.io.IOException("No space left on device");
        }
    }

    static void pay(int order) {
        try (Ledger ledger = new Ledger()) {
            throw new ArithmeticException("order " + order + " has no price");
        }
    }

    static void checkout(int order) {
        try {
            pay(order);
        } catch (ArithmeticException e) {
            throw new RuntimeException("checkout failed", e);
        }
    }

    public static void main(String[] args) {
        checkout(42);
    }
}
