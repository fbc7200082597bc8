// java -XX:MaxDirectMemorySize=16m tests/repro/jvm-direct-buffer-memory.java   (JDK 17): direct buffers kept beyond the limit
import java.nio.ByteBuffer;
import java.util.*;
public class DirectMemory {
    public static void main(String[] args) {
        List<ByteBuffer> kept = new ArrayList<>();
        while (true) kept.add(ByteBuffer.allocateDirect(1 << 20));
    }
}
