// java tests/repro/jvm-concurrent-modification.java   (JDK 17): a list changed in its own loop, a map by a stream, two threads
import java.util.*;
public class Concurrent {
    public static void main(String[] args) throws Exception {
        List<String> names = new ArrayList<>(List.of("a", "b", "c"));
        try { for (String n : names) if (n.equals("a")) names.remove(n); } catch (ConcurrentModificationException e) { e.printStackTrace(); }
        Map<String, Integer> stock = new HashMap<>(Map.of("a", 1, "b", 2));
        try { for (String k : stock.keySet()) stock.put(k + "x", 1); } catch (ConcurrentModificationException e) { e.printStackTrace(); }
        try { stock.computeIfAbsent("q", k -> { stock.put("r", 1); return 2; }); } catch (ConcurrentModificationException e) { e.printStackTrace(); }
        try { names.stream().forEach(n -> names.add("z")); } catch (ConcurrentModificationException e) { e.printStackTrace(); }
    }
}
