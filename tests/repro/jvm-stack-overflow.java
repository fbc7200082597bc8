// java tests/repro/jvm-stack-overflow.java   (JDK 17): two objects whose toString and hashCode call each other
import java.util.*;
public class StackOverflow {
    static class Order { Customer customer; public String toString() { return "Order(" + customer + ")"; } public int hashCode() { return Objects.hash(customer); } }
    static class Customer { Order order; public String toString() { return "Customer(" + order + ")"; } public int hashCode() { return Objects.hash(order); } }
    public static void main(String[] args) {
        Order o = new Order(); o.customer = new Customer(); o.customer.order = o;
        try { new HashSet<>(List.of(o)); } catch (StackOverflowError e) { print(e); }
        try { o.toString(); } catch (StackOverflowError e) { print(e); }
    }
    static void print(StackOverflowError e) { System.err.println(e); Arrays.stream(e.getStackTrace()).skip(200).limit(9).forEach(f -> System.err.println("\tat " + f)); }
}
