// java tests/repro/jvm-connection-refused.java   (JDK 17): nothing listens, no answer while reading, the peer resets, a name that does not exist
import java.io.*;
import java.net.*;
public class Refused {
    static void run(Attempt a) { try { a.run(); } catch (IOException e) { e.printStackTrace(); } }
    interface Attempt { void run() throws IOException; }
    public static void main(String[] args) throws Exception {
        int free; try (ServerSocket s = new ServerSocket(0)) { free = s.getLocalPort(); }
        run(() -> new Socket("127.0.0.1", free));
        ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        run(() -> { Socket s = new Socket(silent.getInetAddress(), silent.getLocalPort()); s.setSoTimeout(300); s.getInputStream().read(); });
        ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        run(() -> { for (int i = 0; i < 9; i++) { Socket s = new Socket(); s.connect(full.getLocalSocketAddress(), 300); } });
        run(() -> { Socket s = new Socket(silent.getInetAddress(), silent.getLocalPort()); silent.accept(); Socket p = silent.accept(); p.setSoLinger(true, 0); p.close(); s.getInputStream().read(); });
        new URL("http://orders.invalid/").openStream();
    }
}
