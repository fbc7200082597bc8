// java -Xmx24m -XX:+UseParallelGC tests/repro/jvm-gc-overhead-limit.java   (JDK 17): many small live objects, only ParallelGC has this limit
import java.util.*;
public class GcOverhead {
    public static void main(String[] args) {
        Map<Integer, String> map = new HashMap<>();
        for (int i = 0; ; i++) map.put(i, "value " + i);
    }
}
