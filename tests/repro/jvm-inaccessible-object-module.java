// java tests/repro/jvm-inaccessible-object-module.java   (JDK 17): reflection into java.base without --add-opens
public class Inaccessible {
    public static void main(String[] args) throws Exception {
        java.lang.reflect.Method m = ClassLoader.class.getDeclaredMethod("defineClass", String.class, byte[].class, int.class, int.class);
        m.setAccessible(true);
    }
}
