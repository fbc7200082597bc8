package shop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One chained error through whatever layout the logging framework was given; with frames of a JAR. */
public class Layouts {
    static final Logger LOG = LoggerFactory.getLogger(Layouts.class);

    static int price(String part) {
        return Integer.parseInt(part);
    }

    static void pay(int order) {
        try {
            java.util.List.of("3", "x").forEach(Layouts::price);
        } catch (NumberFormatException e) {
            IllegalStateException wrapped = new IllegalStateException("order " + order + " is not paid", e);
            wrapped.addSuppressed(new java.io.IOException("ledger is not closed"));
            throw wrapped;
        }
    }

    public static void main(String[] args) {
        LOG.info("start");
        try {
            pay(42);
        } catch (IllegalStateException e) {
            LOG.error("订单 {} 失败", 42, e);
        }
        LOG.warn("going on");
    }
}
