package shop;

import java.util.logging.ConsoleHandler;
import java.util.logging.Level;
import java.util.logging.Logger;

/** java.util.logging prints two lines before the trace. */
public class Logged {
    static final Logger LOG = Logger.getLogger("shop.pay");

    static void pay(int order) {
        throw new IllegalArgumentException("order " + order + ":\n  price is missing\n  part: bolt");
    }

    public static void main(String[] args) {
        try {
            pay(42);
        } catch (IllegalArgumentException e) {
            LOG.log(Level.SEVERE, "订单 42 无法付款", e);
        }
        try {
            pay(43);
        } catch (IllegalArgumentException e) {
            LOG.log(Level.WARNING, e.toString(), new RuntimeException(e));
        }
        LOG.info("going on");
    }
}
