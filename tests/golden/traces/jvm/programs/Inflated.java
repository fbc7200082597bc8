package shop;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** The same fault by reflection: at first, after inflation, and by a method handle; hidden frames shown. */
public class Inflated {
    public static int price(String part) {
        return Integer.parseInt(part);
    }

    public static void main(String[] args) throws Throwable {
        Method method = Inflated.class.getMethod("price", String.class);
        for (int i = 0; i < 40; i++) {
            try {
                method.invoke(null, "x" + i);
            } catch (InvocationTargetException e) {
                if (i == 0 || i == 39) e.getCause().printStackTrace();
            }
        }
        MethodHandle handle = MethodHandles.lookup().findStatic(Inflated.class, "price", MethodType.methodType(int.class, String.class));
        java.util.function.ToIntFunction<String> f = Inflated::price;
        try {
            f.applyAsInt("y");
        } catch (NumberFormatException e) {
            e.printStackTrace();
        }
        handle.invoke("z");
    }
}
