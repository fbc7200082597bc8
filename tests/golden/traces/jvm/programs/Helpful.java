package shop;

import java.util.List;
import java.util.Map;

/** Helpful messages of null pointers (JEP 358), compiled without names of locals; a switch on an enum, a record. */
public class Helpful {
    record Line(String part, Integer amount) {}

    record Order(int id, List<Line> lines) {}

    static int[] stock;

    static int amount(Order order, int at) {
        Line line = order.lines().get(at);
        return line.amount() * stock[at];
    }

    static String name(Map<String, Order> orders, String key) {
        Order order = orders.get(key);
        return order.lines().get(0).part().strip();
    }

    public static void main(String[] args) {
        for (Runnable step : List.<Runnable>of(
                () -> name(Map.of(), "42"),
                () -> amount(new Order(7, List.of(new Line("bolt", null))), 0),
                () -> amount(new Order(7, List.of(new Line("bolt", 3))), 0))) {
            try {
                step.run();
            } catch (NullPointerException e) {
                e.printStackTrace();
            }
        }
        Object order = List.of(1);
        System.out.println((String) order);
    }
}
