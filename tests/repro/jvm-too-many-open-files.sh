# bash tests/repro/jvm-too-many-open-files.sh   (JDK 17): files opened and never closed under ulimit -n 64; accept() fails the same way
d=$(mktemp -d) && cd "$d" && cat > Leak.java <<'J'
import java.io.*; import java.net.*; import java.util.*;
public class Leak {
    public static void main(String[] args) throws Exception {
        List<Object> kept = new ArrayList<>();
        File f = File.createTempFile("orders", ".csv");
        ServerSocket s = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        try { while (true) kept.add(new FileInputStream(f)); } catch (IOException e) { e.printStackTrace(); }
        kept.remove(0); System.gc();
        try { while (true) { kept.add(new Socket(s.getInetAddress(), s.getLocalPort())); } } catch (IOException e) { e.printStackTrace(); }
        try { s.accept(); } catch (IOException e) { e.printStackTrace(); }
        Runtime.getRuntime().exec("true");
    }
}
J
javac Leak.java && ulimit -n 64 && java -XX:-MaxFDLimit -cp . Leak
