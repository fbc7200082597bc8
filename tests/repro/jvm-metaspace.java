// java -XX:MaxMetaspaceSize=32m tests/repro/jvm-metaspace.java   (JDK 17; or -XX:CompressedClassSpaceSize=4m): classes of loaders that are still referenced
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

class Metaspace {
    public interface Api {}

    public static void main(String[] args) {
        List<Object> kept = new ArrayList<>();
        while (true) {
            ClassLoader loader = new URLClassLoader(new URL[0], Metaspace.class.getClassLoader());
            kept.add(Proxy.newProxyInstance(loader, new Class<?>[] {Api.class, Runnable.class}, (proxy, method, values) -> null));
            kept.add(loader);
        }
    }
}
