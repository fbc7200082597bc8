// java -Xmx32m -XX:+UseG1GC tests/repro/jvm-java-heap-space.java   (JDK 17): a cache without a limit, and one array larger than the heap
import java.util.*;
public class HeapSpace {
    static final Map<Integer, byte[]> CACHE = new HashMap<>();
    static void fill() { for (int i = 0; ; i++) CACHE.put(i, new byte[100_000]); }
    public static void main(String[] args) {
        try { byte[] big = new byte[200_000_000]; } catch (OutOfMemoryError e) { e.printStackTrace(); }
        try { byte[] max = new byte[Integer.MAX_VALUE]; } catch (OutOfMemoryError e) { e.printStackTrace(); }
        fill();
    }
}
