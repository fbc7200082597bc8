# bash tests/repro/jvm-pkix-path-building-failed.sh   (JDK 17, keytool, openssl): private CA, wrong name, expired certificate, protocol no longer allowed
d=$(mktemp -d) && cd "$d"
key() { keytool -genkeypair -keyalg RSA -alias "$1" -dname CN=$1 -storepass changeit -keypass changeit -storetype PKCS12 -keystore "$1.p12" "${@:2}" 2>/dev/null; keytool -exportcert -rfc -alias "$1" -keystore "$1.p12" -storepass changeit 2>/dev/null > "$1.pem"; }
key private -ext SAN=dns:localhost; key other -ext SAN=dns:db.example.com; key expired -startdate -10d -validity 5 -ext SAN=dns:localhost
for n in other expired; do keytool -importcert -noprompt -alias $n -file $n.pem -keystore trust.p12 -storepass changeit 2>/dev/null; done
cat > Tls.java <<'J'
import javax.net.ssl.*; import java.io.*; import java.net.*; import java.security.KeyStore;
public class Tls {
    static SSLServerSocket serve(String store, String... protocols) throws Exception {
        KeyStore ks = KeyStore.getInstance(new File(store), "changeit".toCharArray());
        KeyManagerFactory kmf = KeyManagerFactory.getInstance("PKIX"); kmf.init(ks, "changeit".toCharArray());
        SSLContext c = SSLContext.getInstance("TLS"); c.init(kmf.getKeyManagers(), null, null);
        SSLServerSocket s = (SSLServerSocket) c.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        if (protocols.length > 0) s.setEnabledProtocols(protocols);
        Thread t = new Thread(() -> { while (true) try { ((SSLSocket) s.accept()).startHandshake(); } catch (IOException e) { } }); t.setDaemon(true); t.start();
        return s;
    }
    static void get(ServerSocket s) throws Exception { try { new URL("https://localhost:" + s.getLocalPort() + "/").openStream(); } catch (IOException e) { e.printStackTrace(); } }
    public static void main(String[] a) throws Exception {
        get(serve(a[0]));
        if (a.length > 1) {
            SSLSocketFactory f = (SSLSocketFactory) SSLSocketFactory.getDefault();
            try (SSLSocket s = (SSLSocket) f.createSocket("localhost", serve(a[0], "TLSv1.3").getLocalPort())) { s.setEnabledProtocols(new String[]{"TLSv1.2"}); s.startHandshake(); } catch (IOException e) { e.printStackTrace(); }
            try (SSLSocket s = (SSLSocket) f.createSocket("localhost", serve(a[0]).getLocalPort())) { s.setEnabledProtocols(new String[]{"TLSv1"}); s.startHandshake(); } catch (IOException e) { e.printStackTrace(); }
            ServerSocket plain = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            Thread t = new Thread(() -> { try { Socket c = plain.accept(); c.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes()); } catch (IOException e) { } }); t.setDaemon(true); t.start();
            try (SSLSocket s = (SSLSocket) f.createSocket("localhost", plain.getLocalPort())) { s.startHandshake(); } catch (IOException e) { e.printStackTrace(); }
        }
    }
}
J
javac Tls.java 2>/dev/null
java -cp . Tls private.p12 all; for s in other expired; do java -Djavax.net.ssl.trustStore=trust.p12 -Djavax.net.ssl.trustStorePassword=changeit -cp . Tls $s.p12; done
java -Djavax.net.ssl.trustStore=/nowhere/cacerts -cp . Tls private.p12
