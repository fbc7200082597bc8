package shop;

import java.lang.reflect.Field;

/** The JVM itself dies: a write to address 0. */
public class Crash {
    static void poke(sun.misc.Unsafe unsafe, long address) {
        unsafe.putLong(address, 42L);
    }

    public static void main(String[] args) throws Exception {
        Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        poke((sun.misc.Unsafe) field.get(null), 0);
    }
}
