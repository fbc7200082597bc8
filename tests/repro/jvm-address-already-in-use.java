// java tests/repro/jvm-address-already-in-use.java   (JDK 17): two listeners on one port, and an address that is not this host's
import java.net.*;
public class InUse {
    public static void main(String[] args) throws Exception {
        ServerSocket first = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        try { new ServerSocket(first.getLocalPort(), 50, InetAddress.getLoopbackAddress()); } catch (BindException e) { e.printStackTrace(); }
        try { new ServerSocket(0, 50, InetAddress.getByName("192.0.2.7")); } catch (BindException e) { e.printStackTrace(); }
        java.nio.channels.ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", first.getLocalPort()));
    }
}
