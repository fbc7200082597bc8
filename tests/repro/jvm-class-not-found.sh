# bash tests/repro/jvm-class-not-found.sh   (JDK 17): a class missing by name, missing at link time, and one whose static initializer failed
d=$(mktemp -d) && cd "$d" && mkdir lib app
printf 'package com.example.lib; public class Codec { public static void init() {} }' > Codec.java && javac -d lib Codec.java
cat > App.java <<'J'
package com.example.app; import com.example.lib.Codec;
public class App {
    static class Config { static final int SIZE = Integer.parseInt(System.getProperty("size", "many")); }
    public static void main(String[] a) throws Exception {
        for (int i = 0; i < 2; i++) try { System.out.println(Config.class.getDeclaredConstructor().newInstance().hashCode()); } catch (Error e) { e.printStackTrace(); }
        try { Class.forName("com.mysql.jdbc.Driver"); } catch (ClassNotFoundException e) { e.printStackTrace(); }
        Codec.init();
    }
}
J
javac -cp lib -d app App.java && java -cp app com.example.app.App; java -cp app com.example.app.Main; java -jar app.jar
